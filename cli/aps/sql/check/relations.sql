-- How many rows relations hold, as far as the statistics know. Returns schema, name, rows (-1: never counted).
SELECT n.nspname AS schema, c.relname AS name, c.reltuples::bigint AS rows
  FROM unnest(%(schemas)s::text[], %(names)s::text[]) AS asked (schema, name)
  JOIN pg_namespace n ON n.nspname = asked.schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = asked.name
