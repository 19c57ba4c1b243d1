-- Files in the store that no row names: no job to act upon, so they are counted and shown, never touched.
-- Returns item, observed_size, level.
SELECT o.name AS item, o.size AS observed_size, 'listed' AS level
  FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
              %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
 WHERE o.error IS NULL AND o.size IS NOT NULL
   AND NOT EXISTS (SELECT FROM aps.attempt a WHERE a.candidate = o.name COLLATE "C")
   AND NOT EXISTS (SELECT FROM aps.job j WHERE j.published_name = o.name COLLATE "C")
   AND NOT EXISTS (SELECT FROM aps.job j WHERE j.input_name = o.name COLLATE "C")
