-- Counts and ages of every state, and the jobs that two lifecycle states claim or none claims, at one snapshot.
-- Returns state, items, jobs, locked, oldest_seconds; keys (json, up to the limit) for conflict and unclassified.
WITH claim AS (
{claims}
), doubt AS (
  SELECT 'conflict'::text AS state, {keys}
    FROM claim WHERE lifecycle AND ({keys}) IS NOT NULL GROUP BY {keys} HAVING min(state COLLATE "C") <> max(state COLLATE "C")
{unclassified}
)
SELECT state, count(*) AS items,
       -- Only states with several rows a job pay for the sort that DISTINCT needs.
       CASE WHEN bool_or(itemised) THEN count(DISTINCT ({keys})) FILTER (WHERE itemised AND ({keys}) IS NOT NULL)
            ELSE count(*) END AS jobs,
       count(*) FILTER (WHERE locked) AS locked,
       extract(epoch FROM %(clock)s - min(since) FILTER (WHERE isfinite(since)))::double precision AS oldest_seconds,
       NULL::text AS keys
  FROM claim GROUP BY state
UNION ALL
SELECT state, count(*), count(*), NULL, NULL,
       array_to_json((array_agg(json_build_array({keys_text}) ORDER BY {keys}))[1:%(aps_limit)s])::text
  FROM doubt GROUP BY state
