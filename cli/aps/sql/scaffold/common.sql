-- The most common values of one column as the server's own statistics have them: drawn from the whole table, where the
-- first rows are the oldest. Returns value.
SELECT v.value
  FROM pg_stats s
 CROSS JOIN unnest(s.most_common_vals::text::text[]) AS v (value)
 WHERE s.schemaname = %(schema)s AND s.tablename = %(table)s AND s.attname = %(column)s
 LIMIT %(values)s
