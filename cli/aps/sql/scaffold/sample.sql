-- The values of one column in the first rows of the table, the most frequent first, and one more than may be shown.
-- Returns value.
SELECT s.value, count(*) AS rows
  FROM (SELECT t.{column}::text AS value FROM {table} AS t LIMIT %(rows)s) AS s
 WHERE s.value IS NOT NULL
 GROUP BY s.value
 ORDER BY count(*) DESC, s.value
 LIMIT %(values)s
