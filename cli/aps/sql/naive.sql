-- The columns of a table that hold times without a zone, read from the catalogue, which needs no grant.
-- Returns name; in the order of the table.
SELECT a.attname AS name
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relname = %(table)s AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'timestamp'::regtype
   AND (n.nspname = %(schema)s OR (%(schema)s::text IS NULL AND pg_table_is_visible(c.oid)))
 ORDER BY a.attnum
