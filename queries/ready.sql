-- Jobs that any worker may claim. A locked one is being claimed, or held by somebody: an empty claim is no empty queue.
-- Returns job_id, since, locked, kind, epoch.
SELECT j.job_id, j.ready_at AS since,
       -- A standby sees no locks of the primary: unknown there.
       CASE WHEN NOT pg_is_in_recovery() THEN
         EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'transactionid' AND l.granted AND l.transactionid = j.xmax)
       END AS locked,
       j.kind, j.epoch
  FROM aps.job j
 WHERE j.state = 'ready' AND j.epoch < 9223372036854775807 AND num_nonnulls(j.worker, j.lease_until, j.candidate) = 0
   AND NOT EXISTS (SELECT FROM aps.attempt a WHERE a.job_id = j.job_id AND (a.epoch > j.epoch OR a.ended_at IS NULL))
