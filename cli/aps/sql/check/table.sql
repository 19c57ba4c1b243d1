-- What the catalogue says of the table and its key, which needs no grant. Without a table or a column these are NULL.
-- Returns one row a key column, in the order asked for: name, relation, position, type (of a domain: the type below it),
-- type_name, leads (an index begins with it), unique_key (a unique index holds key columns only).
SELECT asked.name, c.oid AS relation, a.attnum AS position,
       coalesce(nullif(t.typbasetype, 0), a.atttypid) AS type, format_type(a.atttypid, a.atttypmod) AS type_name,
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indkey[0] = a.attnum) AS leads,
       EXISTS (SELECT FROM pg_index i
                WHERE i.indrelid = c.oid AND i.indisvalid AND i.indisunique AND i.indpred IS NULL
                  AND NOT EXISTS (SELECT FROM unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) AS n (attnum)
                                    LEFT JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = n.attnum
                                   WHERE n.attnum = 0 OR k.attname <> ALL (%(key)s::text[]))) AS unique_key
  FROM unnest(%(key)s::text[]) WITH ORDINALITY AS asked (name, position)
  LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace)
         ON c.relname = %(table)s AND c.relkind IN ('r', 'p', 'v', 'f')
        AND (n.nspname = %(schema)s OR (%(schema)s::text IS NULL AND pg_table_is_visible(c.oid)))
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = asked.name AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_type t ON t.oid = a.atttypid
 ORDER BY asked.position
