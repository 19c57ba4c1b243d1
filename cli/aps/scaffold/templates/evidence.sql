-- {says}.
-- Returns {returns}.
SELECT {columns}
  FROM {table} AS t{conditions}
