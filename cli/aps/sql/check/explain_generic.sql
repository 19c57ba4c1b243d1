-- The plan of a statement whatever its values are, so that no condition is decided beforehand. From 16 on, nothing bound.
-- Returns QUERY PLAN (json).
EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {statement}
