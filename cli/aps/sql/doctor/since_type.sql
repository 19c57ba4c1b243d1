-- The type of the time that a state's evidence returns; no row of it is read. Returns type.
SELECT pg_typeof((SELECT q.since FROM (
{evidence}
) AS q LIMIT 0))::text AS type, %(aps)s::text AS asked_by
