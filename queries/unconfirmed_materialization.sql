-- Jobs whose input nobody confirmed yet. Whether it may be confirmed depends on the file: where nobody looked, that refuses.
-- Returns job_id, since, refusal, kind, epoch, input_name, input_digest, observed_size, observed_digest, level.
SELECT j.job_id, j.created_at AS since,
       CASE WHEN j.created_at > %(clock)s - %(materialization_grace)s THEN 'too young: within the grace of its producer'
            WHEN o.name IS NULL THEN 'nobody looked at the input file'
            WHEN o.error IS NOT NULL THEN 'the input file cannot be read: ' || o.error
            WHEN o.size IS NULL THEN 'the input file is absent'
            WHEN o.digest IS NULL THEN 'the input file was listed, not rehashed'
            WHEN o.digest <> j.input_digest THEN 'the input file has another digest' END AS refusal,
       j.kind, j.epoch, j.input_name, j.input_digest, o.size AS observed_size, o.digest AS observed_digest,
       CASE WHEN o.name IS NULL THEN 'recorded' WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM aps.job j
  LEFT JOIN unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                   %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
    ON o.name COLLATE "C" = j.input_name
 WHERE j.state = 'materializing' AND num_nonnulls(j.worker, j.lease_until, j.candidate) = 0
   AND NOT EXISTS (SELECT FROM aps.attempt a WHERE a.job_id = j.job_id AND (a.epoch > j.epoch OR a.ended_at IS NULL))
