-- Whether an index of these relations begins with that column. Returns one row a relation and column that one leads.
SELECT DISTINCT asked.schema, asked.name, asked.column_name
  FROM unnest(%(schemas)s::text[], %(names)s::text[], %(columns)s::text[]) AS asked (schema, name, column_name)
  JOIN pg_namespace n ON n.nspname = asked.schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = asked.name
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = asked.column_name
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisvalid AND i.indkey[0] = a.attnum
