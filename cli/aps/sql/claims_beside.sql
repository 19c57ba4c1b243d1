-- All names that the rows of given keys claim, each with whether an earlier chunk had it.
-- Returns ordinal (of the key, from 1), aps_name, earlier.
SELECT DISTINCT k.aps_ordinal AS ordinal, c.name::text AS aps_name,
       c.name::text COLLATE "C" <= %(aps_after)s::text AS earlier
  FROM unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal)
 CROSS JOIN LATERAL (SELECT n.name FROM (
{names}
) AS n WHERE {same_key} AND n.name IS NOT NULL OFFSET 0) AS c
