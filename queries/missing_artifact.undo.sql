-- Put withdrawn publications back whose file was looked at and is right again; the others are left as they are.
-- Returns job_id.
WITH restored AS (
  UPDATE aps.job j SET withdrawn_at = NULL, updated_at = %(clock)s
    FROM unnest(%(observed_names)s::text[], %(observed_digests)s::text[]) AS o (name, digest)
   WHERE j.job_id = ANY (%(job_id)s::bigint[])
     AND o.name COLLATE "C" = j.published_name AND o.digest = j.published_digest
  RETURNING j.job_id, j.published_epoch
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, detail)
  SELECT job_id, 'restored', published_epoch, %(operation)s::text || ': ' || %(reason)s::text FROM restored
)
SELECT job_id FROM restored
