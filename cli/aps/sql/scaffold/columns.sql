-- The columns of one relation in their order; a domain is told as the type below it, a type outside pg_catalog with its
-- schema. Returns name, sql (quoted where it must be), type, kind (typcategory of the type below), nullable,
-- default_sql, generated, labels (json, of an enum).
WITH RECURSIVE base AS (
  SELECT a.attnum, a.atttypid AS type, 0 AS depth, false AS forbids_null
    FROM pg_attribute a
   WHERE a.attrelid = %(relation)s::oid AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, t.typbasetype, b.depth + 1, b.forbids_null OR t.typnotnull
    FROM base b JOIN pg_type t ON t.oid = b.type
   WHERE t.typtype = 'd'
), deepest AS (
  SELECT DISTINCT ON (attnum) attnum, type, forbids_null FROM base ORDER BY attnum, depth DESC
)
SELECT a.attname AS name, quote_ident(a.attname) AS sql,
       CASE WHEN n.nspname = 'pg_catalog' THEN format_type(t.oid, -1)
            ELSE quote_ident(n.nspname) || '.' || quote_ident(t.typname) END AS type,
       t.typcategory AS kind,
       NOT (a.attnotnull OR d.forbids_null) AS nullable,
       pg_get_expr(f.adbin, f.adrelid) AS default_sql,
       a.attgenerated <> '' OR a.attidentity = 'a' AS generated,
       (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) AS labels
  FROM deepest d
  JOIN pg_attribute a ON a.attrelid = %(relation)s::oid AND a.attnum = d.attnum
  JOIN pg_type t ON t.oid = d.type
  JOIN pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
 ORDER BY a.attnum
