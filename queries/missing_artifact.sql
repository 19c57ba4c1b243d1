-- Publications that stand while their file was looked at and is absent or has other bytes.
-- Returns job_id, since, problem, retention (whether its time was over, so that absence was to be expected), kind, epoch, published_name, published_digest, observed_size, observed_digest, level.
SELECT j.job_id, j.published_at AS since,
       CASE WHEN o.size IS NULL THEN 'absent' WHEN o.digest IS NULL THEN 'empty' ELSE 'other digest' END AS problem,
       CASE WHEN o.size IS NOT NULL THEN NULL
            WHEN j.published_at <= %(clock)s - %(result_retention)s THEN 'expected: past the retention of results'
            ELSE 'unexpected: within the retention of results' END AS retention,
       j.kind, j.published_epoch AS epoch, j.published_name, j.published_digest,
       o.size AS observed_size, o.digest AS observed_digest,
       CASE WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
              %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
  JOIN aps.job j ON j.published_name = o.name COLLATE "C"
 WHERE j.state = 'complete' AND j.withdrawn_at IS NULL AND j.finished_at >= %(finished_since)s
   AND o.error IS NULL
   AND (o.size IS NULL OR (o.digest LIKE 'sha256:%%' AND o.digest <> j.published_digest)
        -- The digest of nothing is known without reading: an empty file needs no more than a listing.
        OR (o.digest IS NULL AND o.size = 0 AND j.published_digest
            <> 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'))
