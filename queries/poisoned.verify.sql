-- What must hold after the commit: the job stays failed. Returns job_id, reason.
SELECT job_id, 'the job is not failed after the reclaim' AS reason
  FROM aps.job WHERE job_id = ANY (%(job_id)s::bigint[]) AND state <> 'failed'
