-- What relations have that name: in the named schema, else in any but the server's own. The catalogue needs no grant.
-- Returns relation, schema, name, schema_sql, name_sql, kind, readable, visible.
SELECT c.oid AS relation, n.nspname AS schema, c.relname AS name,
       quote_ident(n.nspname) AS schema_sql, quote_ident(c.relname) AS name_sql, c.relkind AS kind,
       has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable,
       pg_table_is_visible(c.oid) AS visible
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relname = %(table)s AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'i', 'I', 'c')
   AND (n.nspname = %(schema)s OR %(schema)s::text IS NULL)
   AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%%'
 ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname
