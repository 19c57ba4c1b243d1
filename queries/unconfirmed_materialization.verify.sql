-- What must hold after the commit, whoever has claimed the job since: the input, read again, is the recorded one.
-- Returns job_id, reason.
SELECT j.job_id,
       'the input ' || j.input_name || ' is not the recorded one any more: '
       || coalesce(o.error, CASE WHEN o.size IS NULL THEN 'absent' ELSE 'other digest' END) AS reason
  FROM aps.job j
  LEFT JOIN unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                   %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
    ON o.name COLLATE "C" = j.input_name
 WHERE j.job_id = ANY (%(job_id)s::bigint[]) AND o.digest IS DISTINCT FROM j.input_digest
