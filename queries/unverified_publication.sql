-- Publications that stand while their file was looked at and could not be judged: unreadable, or a digest of another method.
-- Returns job_id, since, problem, kind, epoch, published_name, published_digest, observed_digest, level.
SELECT j.job_id, j.published_at AS since,
       coalesce('unreadable: ' || o.error, 'a digest of an unknown method') AS problem,
       j.kind, j.published_epoch AS epoch, j.published_name, j.published_digest, o.digest AS observed_digest,
       CASE WHEN o.digest IS NULL THEN 'listed' ELSE %(observed_level)s::text END AS level
  FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
              %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
  JOIN aps.job j ON j.published_name = o.name COLLATE "C"
 WHERE j.state = 'complete' AND j.withdrawn_at IS NULL AND j.finished_at >= %(finished_since)s
   AND (o.error IS NOT NULL
        OR (o.size IS NOT NULL AND o.digest NOT LIKE 'sha256:%%' AND o.digest <> j.published_digest))
