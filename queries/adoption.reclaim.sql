-- Make abandoned jobs ready again: the epoch rises by one, so that the worker before is refused; its attempt is closed.
-- Runs on locked rows that are still as planned; the fence is kept by aps. Returns job_id.
WITH freed AS (
  UPDATE aps.job
     SET state = 'ready', epoch = epoch + 1, worker = NULL, lease_until = NULL, candidate = NULL,
         ready_at = %(clock)s, updated_at = %(clock)s
   WHERE job_id = ANY (%(job_id)s::bigint[])
  RETURNING job_id, epoch
), closed AS (
  UPDATE aps.attempt a SET ended_at = %(clock)s, ended_as = 'abandoned'
    FROM freed f WHERE a.job_id = f.job_id AND a.epoch = f.epoch - 1
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
  SELECT job_id, 'reclaimed', epoch, %(actor)s, %(operation)s::text || ': ' || %(reason)s::text FROM freed
)
SELECT job_id FROM freed
