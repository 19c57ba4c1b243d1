-- Cancel an unfinished job at the epoch that the caller saw. It forbids every later transition; it ends no process and
-- undoes no effect, so worker and lease stay on the row until they end.
-- Binds job_id, epoch, reason. Returns job_id, state, epoch, worker, answer (cancelled, repeated, rejected);
-- no row for an unknown job.
WITH held AS MATERIALIZED (
  SELECT job_id, state, worker, epoch, candidate, finished_at FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
), cancelled AS (
  UPDATE aps.job j
     SET state = 'cancelled', reason = %(reason)s::text, finished_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM held h
   WHERE j.job_id = h.job_id AND h.finished_at IS NULL AND h.epoch = %(epoch)s
  RETURNING j.job_id, j.state
), closed AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
  SELECT h.job_id, h.epoch, h.worker, h.candidate, clock_timestamp(), 'cancelled'
    FROM held h JOIN cancelled USING (job_id) WHERE h.worker IS NOT NULL
  ON CONFLICT (job_id, epoch) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.job_id, coalesce(c.state, h.state) AS state, h.epoch, h.worker,
         CASE WHEN c.job_id IS NOT NULL THEN 'cancelled'
              WHEN h.state = 'cancelled' AND h.epoch = %(epoch)s THEN 'repeated'
              ELSE 'rejected' END AS answer
    FROM held h LEFT JOIN cancelled c USING (job_id)
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, detail)
  SELECT job_id, answer, %(epoch)s, 'cancellation: ' || %(reason)s::text FROM answered
)
SELECT job_id, state, epoch, worker, answer FROM answered
