-- The rows of the table for given keys, whole, as json; with locking: held until the transaction ends, in key order.
-- Returns ordinal (of the key, from 1), image.
SELECT k.aps_ordinal AS ordinal, row_to_json(t.*)::text AS image
  FROM {table} AS t
  JOIN unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal) ON {same_key}
 ORDER BY {keys}
{locking}
