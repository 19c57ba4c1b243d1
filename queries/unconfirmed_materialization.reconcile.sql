-- Confirm inputs whose file rehashed to the recorded digest: materializing becomes ready.
-- Runs on locked rows that are still as planned; the fence is kept by aps. Returns job_id.
WITH confirmed AS (
  UPDATE aps.job SET state = 'ready', ready_at = %(clock)s, updated_at = %(clock)s
   WHERE job_id = ANY (%(job_id)s::bigint[])
  RETURNING job_id
), logged AS (
  INSERT INTO aps.event (job_id, kind, detail)
  SELECT job_id, 'confirmed', %(operation)s::text || ': ' || %(reason)s::text FROM confirmed
)
SELECT job_id FROM confirmed
