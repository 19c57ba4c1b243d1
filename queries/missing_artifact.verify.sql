-- What must hold after the commit: the withdrawal is on record, and the file, looked at again, has not become right.
-- Returns job_id, reason.
SELECT j.job_id,
       CASE WHEN o.digest = j.published_digest THEN 'its file is right again: undo the withdrawal'
            ELSE 'the withdrawal is not on record' END AS reason
  FROM aps.job j
  LEFT JOIN unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                   %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
    ON o.name COLLATE "C" = j.published_name
 WHERE j.job_id = ANY (%(job_id)s::bigint[])
   AND (o.digest = j.published_digest
        OR NOT EXISTS (SELECT FROM aps.event e
                        WHERE e.job_id = j.job_id AND e.kind = 'withdrawn' AND e.detail LIKE %(operation)s::text || ':%%'))
