-- Prolong the lease. With progress true it also says that the work moved on.
-- Binds job_id, worker, epoch, lease (interval), progress. Returns job_id, state, epoch, worker, lease_until, answer
-- (renewed, rejected); no row for an unknown job. Rejected: stop, the job is no longer yours.
WITH held AS MATERIALIZED (
  SELECT job_id, state, worker, epoch, lease_until FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the lease.
  SELECT *, clock_timestamp() AS clock FROM held
), renewed AS (
  UPDATE aps.job j
     SET lease_until = h.clock + %(lease)s::interval,
         updated_at = CASE WHEN %(progress)s THEN h.clock ELSE j.updated_at END
    FROM judged h
   WHERE j.job_id = h.job_id
     AND h.state = 'running' AND h.worker = %(worker)s AND h.epoch = %(epoch)s AND h.clock < h.lease_until
  RETURNING j.job_id, j.lease_until
), answered AS (
  SELECT h.job_id, h.state, h.epoch, h.worker, coalesce(r.lease_until, h.lease_until) AS lease_until,
         CASE WHEN r.job_id IS NOT NULL THEN 'renewed' ELSE 'rejected' END AS answer
    FROM judged h LEFT JOIN renewed r USING (job_id)
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
  SELECT job_id, CASE answer WHEN 'rejected' THEN 'rejected' ELSE 'progressed' END, %(epoch)s, %(worker)s, 'heartbeat'
    FROM answered WHERE answer = 'rejected' OR %(progress)s
)
SELECT job_id, state, epoch, worker, lease_until, answer FROM answered
