-- The types of the key columns of a table, read from the catalogue, which needs no grant. No row: no such table.
-- Returns name, type; in the order of the columns asked for.
SELECT asked.name, format_type(a.atttypid, a.atttypmod) AS type
  FROM unnest(%(key)s::text[]) WITH ORDINALITY AS asked (name, position)
  JOIN pg_attribute a ON a.attname = asked.name AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_class c ON c.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relname = %(table)s
   AND (n.nspname = %(schema)s OR (%(schema)s::text IS NULL AND pg_table_is_visible(c.oid)))
 ORDER BY asked.position
