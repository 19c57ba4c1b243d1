-- The indexes of these names in these schemas; one that is not valid serves nobody. Returns schema, name, valid.
SELECT n.nspname AS schema, c.relname AS name, i.indisvalid AND i.indisready AS valid
  FROM unnest(%(schemas)s::text[], %(names)s::text[]) AS asked (schema, name)
  JOIN pg_namespace n ON n.nspname = asked.schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = asked.name
  JOIN pg_index i ON i.indexrelid = c.oid
