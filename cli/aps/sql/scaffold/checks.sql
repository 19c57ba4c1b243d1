-- The validated CHECK constraints that look at one column alone, of the table or of the column's domain.
-- Returns column (its name), definition (within it the domain's own VALUE stands for the column).
SELECT a.attname AS column, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k
  JOIN pg_attribute a ON a.attrelid = %(relation)s::oid AND NOT a.attisdropped
   AND (k.conrelid = a.attrelid AND k.conkey = ARRAY[a.attnum] OR k.contypid = a.atttypid AND k.contypid <> 0)
 WHERE k.contype = 'c' AND k.convalidated
 ORDER BY a.attnum, k.conname
