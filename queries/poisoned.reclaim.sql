-- Fail jobs that took down too many workers, with the reason: the epoch rises by one, the attempt is closed.
-- Runs on locked rows that are still as planned; the fence is kept by aps. Returns job_id.
WITH failed AS (
  UPDATE aps.job
     SET state = 'failed', epoch = epoch + 1, worker = NULL, lease_until = NULL, candidate = NULL,
         reason = %(reason)s, finished_at = %(clock)s, updated_at = %(clock)s
   WHERE job_id = ANY (%(job_id)s::bigint[])
  RETURNING job_id, epoch
), closed AS (
  UPDATE aps.attempt a SET ended_at = %(clock)s, ended_as = 'abandoned'
    FROM failed f WHERE a.job_id = f.job_id AND a.epoch = f.epoch - 1
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
  SELECT job_id, 'reclaimed', epoch, %(actor)s, %(operation)s::text || ': ' || %(reason)s::text FROM failed
)
SELECT job_id FROM failed
