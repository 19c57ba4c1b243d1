-- The first items of a state whose items belong to no job, in byte order. Returns item.
SELECT q.item::text AS item FROM (
{evidence}
) AS q ORDER BY q.item::text COLLATE "C" LIMIT %(aps_limit)s
