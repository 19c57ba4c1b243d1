-- The columns that an evidence query returns; no row is fetched.
SELECT q.* FROM (
{evidence}
) AS q LIMIT %(aps_limit)s
