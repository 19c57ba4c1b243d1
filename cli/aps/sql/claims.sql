-- The next names that rows claim, in byte order; rows of one name are never parted. Returns name and the key as text.
SELECT n.name::text AS aps_name, {keys_text} FROM (
{names}
) AS n WHERE n.name IS NOT NULL AND {keyed} {after}
 ORDER BY n.name::text COLLATE "C" FETCH FIRST (%(aps_limit)s::bigint) ROWS WITH TIES
