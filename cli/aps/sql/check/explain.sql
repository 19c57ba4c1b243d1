-- The plan of a statement that is bound as aps binds it; nothing runs. Returns QUERY PLAN (json).
EXPLAIN (VERBOSE, FORMAT JSON) {statement}
