-- Which of these privileges a role has, by the catalogue, which needs no grant; names that are no relation have no row.
-- Returns schema, relation, privilege, column_name (each as GRANT takes it), may_enter, held.
SELECT DISTINCT quote_ident(n.nspname) AS schema, quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS relation,
       asked.privilege, quote_ident(a.attname) AS column_name,
       has_schema_privilege(r.oid, n.oid, 'USAGE') AS may_enter,
       CASE WHEN a.attnum IS NULL THEN has_table_privilege(r.oid, c.oid, asked.privilege)
            ELSE has_column_privilege(r.oid, c.oid, a.attnum, asked.privilege) END AS held
  FROM unnest(%(schemas)s::text[], %(relations)s::text[], %(privileges)s::text[], %(columns)s::text[])
       AS asked (schema, relation, privilege, column_name)
  JOIN pg_roles r ON r.rolname = coalesce(%(role)s::text, current_user)
  JOIN pg_namespace n ON n.nspname = coalesce(asked.schema, %(path)s::text)
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = asked.relation AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = asked.column_name AND a.attnum > 0 AND NOT a.attisdropped
 WHERE asked.column_name IS NULL OR a.attnum IS NOT NULL
 ORDER BY 1, 2, 3, 4
