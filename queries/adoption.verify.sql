-- What must hold after the commit, whoever has claimed the job since: the reclaim is on record and its epoch stands
-- or was passed. Returns job_id, reason.
SELECT j.job_id, 'the reclaim is not on record, or the epoch fell below it' AS reason
  FROM aps.job j
 WHERE j.job_id = ANY (%(job_id)s::bigint[])
   AND NOT EXISTS (SELECT FROM aps.event e
                    WHERE e.job_id = j.job_id AND e.kind = 'reclaimed' AND e.epoch <= j.epoch
                      AND e.detail LIKE %(operation)s::text || ':%%')
