-- The server plans a statement and checks the rights of this role, and does not run it. Returns the plan as json.
EXPLAIN (FORMAT JSON, VERBOSE)
{statement}
