-- Every job that is not known to be finished: each must be in exactly one state. Written as an exclusion, so that a
-- value nobody thought of is looked at too. Returns {returns}.
SELECT {columns}
  FROM {table} AS t{conditions}
