-- Confirm that the input lies where the job says, by its digest: materializing becomes ready.
-- Binds job_id, digest. Returns job_id, state, answer (confirmed, repeated, rejected); no row for an unknown job.
-- Rejected: another digest, or the job was cancelled before its input was confirmed.
WITH held AS MATERIALIZED (
  SELECT job_id, state, input_digest, ready_at FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
), confirmed AS (
  UPDATE aps.job j SET state = 'ready', ready_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM held h
   WHERE j.job_id = h.job_id AND h.state = 'materializing' AND h.input_digest = %(digest)s
  RETURNING j.job_id, j.state
), answered AS (
  SELECT h.job_id, coalesce(c.state, h.state) AS state,
         CASE WHEN c.job_id IS NOT NULL THEN 'confirmed'
              WHEN h.ready_at IS NOT NULL AND h.input_digest = %(digest)s THEN 'repeated'
              ELSE 'rejected' END AS answer
    FROM held h LEFT JOIN confirmed c USING (job_id)
), logged AS (
  INSERT INTO aps.event (job_id, kind, detail)
  SELECT job_id, answer, 'input ' || %(digest)s::text FROM answered
)
SELECT job_id, state, answer FROM answered
