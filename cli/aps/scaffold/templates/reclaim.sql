-- Make released jobs ready again. Runs on locked rows that are still as planned; the fence is kept by aps.
-- Returns {returns}.
-- CHECK: is this all that a ready row needs? Compare it with what your own code writes when it gives a job back.
UPDATE {table} AS t
   SET {assignments}
  FROM unnest({arrays}) AS k ({aliases})
 WHERE {same_key}
RETURNING {columns}
