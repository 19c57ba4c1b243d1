-- Files that an attempt names, whose epoch is over, that no row publishes or takes as its input, that no open attempt
-- names as well, and that are past the grace. One item an attempt.
-- Returns job_id, item, since, epoch, worker, ended_as, observed_size, observed_digest, level.
SELECT a.job_id, a.candidate AS item, a.ended_at AS since, a.epoch, a.worker, a.ended_as,
       o.size AS observed_size, o.digest AS observed_digest,
       CASE WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
              %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
  JOIN aps.attempt a ON a.candidate = o.name COLLATE "C"
  JOIN aps.job j ON j.job_id = a.job_id
 WHERE o.error IS NULL AND o.size IS NOT NULL
   AND a.ended_at <= %(clock)s - %(orphan_grace)s
   AND (j.epoch > a.epoch OR j.finished_at IS NOT NULL)
   AND (j.lease_until IS NULL OR j.lease_until <= %(clock)s - %(orphan_grace)s OR j.epoch > a.epoch)
   AND NOT EXISTS (SELECT FROM aps.job p WHERE p.published_name = a.candidate)
   AND NOT EXISTS (SELECT FROM aps.job i WHERE i.input_name = a.candidate)
   -- Should a name ever be given twice, the later owner may be writing it.
   AND NOT EXISTS (SELECT FROM aps.attempt o WHERE o.candidate = a.candidate AND o.ended_at IS NULL)
