-- What must hold before the commit: ready, without an owner, and no attempt left open. Returns job_id, reason.
SELECT j.job_id, CASE WHEN j.state <> 'ready' OR j.worker IS NOT NULL THEN 'the job is not ready after the reclaim'
                      ELSE 'an attempt is still open after the reclaim' END AS reason
  FROM aps.job j
 WHERE j.job_id = ANY (%(job_id)s::bigint[])
   AND (j.state <> 'ready' OR j.worker IS NOT NULL
        OR EXISTS (SELECT FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_at IS NULL))
