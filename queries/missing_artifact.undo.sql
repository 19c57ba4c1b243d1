-- Put withdrawn publications back whose file is right again. Returns job_id.
WITH restored AS (
  UPDATE aps.job SET withdrawn_at = NULL, updated_at = %(clock)s
   WHERE job_id = ANY (%(job_id)s::bigint[])
  RETURNING job_id, published_epoch
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, detail)
  SELECT job_id, 'restored', published_epoch, %(operation)s::text || ': ' || %(reason)s::text FROM restored
)
SELECT job_id FROM restored
