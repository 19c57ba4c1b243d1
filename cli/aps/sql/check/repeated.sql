-- The jobs that one state returns in more than one row. Returns keys (json, up to the limit), jobs.
SELECT array_to_json((array_agg(json_build_array({keys_text}) ORDER BY {keys}))[1:%(aps_limit)s])::text AS keys,
       count(*) AS jobs
  FROM (SELECT {keys} FROM (
{evidence}
) AS q WHERE ({keys}) IS NOT NULL GROUP BY {keys} HAVING count(*) > 1) AS repeated
