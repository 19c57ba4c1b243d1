-- Give the job back in good order, before the lease ends: ready again, under the same epoch until the next claim.
-- Binds job_id, worker, epoch. Returns job_id, state, epoch, worker, answer (released, rejected);
-- no row for an unknown job.
WITH held AS MATERIALIZED (
  SELECT job_id, state, worker, epoch, lease_until, candidate FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the lease.
  SELECT *, clock_timestamp() AS clock FROM held
), released AS (
  UPDATE aps.job j
     SET state = 'ready', worker = NULL, lease_until = NULL, candidate = NULL, ready_at = h.clock, updated_at = h.clock
    FROM judged h
   WHERE j.job_id = h.job_id
     AND h.state = 'running' AND h.worker = %(worker)s AND h.epoch = %(epoch)s AND h.clock < h.lease_until
  RETURNING j.job_id, j.state
), closed AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
  SELECT h.job_id, h.epoch, h.worker, h.candidate, h.clock, 'released' FROM judged h JOIN released USING (job_id)
  ON CONFLICT (job_id, epoch) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.job_id, coalesce(r.state, h.state) AS state, h.epoch, h.worker,
         CASE WHEN r.job_id IS NOT NULL THEN 'released' ELSE 'rejected' END AS answer
    FROM judged h LEFT JOIN released r USING (job_id)
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
  SELECT job_id, answer, %(epoch)s, %(worker)s, 'release' FROM answered
)
SELECT job_id, state, epoch, worker, answer FROM answered
