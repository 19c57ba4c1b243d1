-- Withdraw publications whose file is gone or wrong: consumers no longer see them; nothing is requeued.
-- Runs on locked rows that are still as planned; the fence is kept by aps. Returns job_id.
WITH withdrawn AS (
  UPDATE aps.job SET withdrawn_at = %(clock)s, updated_at = %(clock)s
   WHERE job_id = ANY (%(job_id)s::bigint[])
  RETURNING job_id, published_epoch
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, detail)
  SELECT job_id, 'withdrawn', published_epoch, %(operation)s::text || ': ' || %(reason)s::text FROM withdrawn
)
SELECT job_id FROM withdrawn
