-- Publications that stand and whose file was not seen to be wrong. Where nobody looked they are recorded, no more.
-- Returns job_id, since, kind, epoch, published_name, published_digest, level.
SELECT j.job_id, j.published_at AS since, j.kind, j.published_epoch AS epoch, j.published_name, j.published_digest,
       CASE WHEN o.name IS NULL THEN 'recorded' WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM aps.job j
  LEFT JOIN unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                   %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
    ON o.name COLLATE "C" = j.published_name
 WHERE j.state = 'complete' AND j.withdrawn_at IS NULL AND j.finished_at >= %(finished_since)s
   AND (o.name IS NULL
        OR (o.error IS NULL AND o.size IS NOT NULL
            AND CASE WHEN o.digest IS NOT NULL THEN o.digest = j.published_digest
                     ELSE o.size > 0 OR j.published_digest
                          = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' END))
