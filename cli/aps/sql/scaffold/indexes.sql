-- The unique indexes of one relation that hold for every row: no expression, no predicate, checked at once.
-- Returns name, is_primary, columns (json, in order), nullable (a column of it may be NULL); the primary key first.
SELECT c.relname AS name, i.indisprimary AS is_primary, json_agg(a.attname ORDER BY k.place) AS columns,
       bool_or(NOT a.attnotnull) AS nullable
  FROM pg_index i
  JOIN pg_class c ON c.oid = i.indexrelid
 CROSS JOIN unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) WITH ORDINALITY AS k (attnum, place)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
 WHERE i.indrelid = %(relation)s::oid AND i.indisunique AND i.indisvalid AND i.indimmediate
   AND i.indpred IS NULL AND i.indexprs IS NULL
 GROUP BY c.relname, i.indisprimary
 ORDER BY i.indisprimary DESC, count(*), c.relname
