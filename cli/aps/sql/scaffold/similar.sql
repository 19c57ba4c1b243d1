-- Tables of the database, to say what a misspelt name may have meant. Returns name (with its schema where it is needed).
SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END AS name
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%%'
   AND %(aps)s::text IS NOT NULL
 ORDER BY 1 LIMIT 10000
