-- The current epoch's candidate stands whole, its lease is over, and nothing confirms it. aps never completes it.
-- Returns job_id, item, since, epoch, worker, observed_size, observed_digest, level.
SELECT j.job_id, j.candidate AS item, j.lease_until AS since, j.epoch, j.worker,
       o.size AS observed_size, o.digest AS observed_digest,
       CASE WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
              %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
  JOIN aps.job j ON j.candidate = o.name COLLATE "C"
 WHERE j.state = 'running' AND o.error IS NULL AND o.size > 0 AND j.lease_until <= %(clock)s
