-- What many jobs of one state have in common: of each column of its evidence the values that most rows have, at most
-- three; of `since` its minute. Of more rows than the limit only so many are looked at.
-- Returns name, value, jobs (that have it), among (those looked at).
WITH looked AS MATERIALIZED (
  SELECT row_to_json(q.*)::jsonb AS evidence FROM (
{evidence}
) AS q LIMIT %(aps_limit)s
), counted AS (
  SELECT c.name, v.value, count(*) AS jobs,
         row_number() OVER (PARTITION BY c.name ORDER BY count(*) DESC, v.value) AS place
    FROM looked
   CROSS JOIN LATERAL jsonb_each_text(looked.evidence) AS c (name, value)
   CROSS JOIN LATERAL (SELECT CASE WHEN c.name = 'since' THEN left(c.value, 16) ELSE c.value END AS value) AS v
   WHERE v.value IS NOT NULL
   GROUP BY c.name, v.value
)
SELECT name, value, jobs, (SELECT count(*) FROM looked) AS among FROM counted WHERE place <= 3 ORDER BY jobs DESC, name, value
