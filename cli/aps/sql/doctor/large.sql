-- How large relations are: rows as the last ANALYZE counted (below 0: never counted) and bytes. Returns schema, name, rows,
-- bytes.
SELECT asked.schema, asked.relation AS name, c.reltuples::bigint AS rows, pg_relation_size(c.oid) AS bytes
  FROM unnest(%(schemas)s::text[], %(relations)s::text[]) AS asked (schema, relation)
  JOIN pg_namespace n ON n.nspname = asked.schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = asked.relation
