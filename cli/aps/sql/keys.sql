-- Which of given keys have a row, each as the server writes it: what a person typed may be spelt otherwise (01, an
-- uuid in capitals). Only the key columns are read. Returns ordinal (of the key, from 1) and the key as text.
SELECT k.aps_ordinal AS ordinal, {keys_text}
  FROM {table} AS t
  JOIN unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal) ON {same_key}
 ORDER BY k.aps_ordinal
