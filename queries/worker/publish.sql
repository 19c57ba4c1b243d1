-- Publish the candidate of this epoch: one update records name and digest and ends the job. The file must lie whole
-- and fsynced under its name before; nothing is renamed.
-- Binds job_id, worker, epoch, digest. Returns job_id, state, epoch, worker, published_name, published_digest,
-- published_epoch, answer (published, repeated, rejected); no row for an unknown job.
WITH held AS MATERIALIZED (
  SELECT job_id, state, worker, epoch, lease_until, candidate, published_name, published_digest, published_epoch
    FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the lease.
  SELECT *, clock_timestamp() AS clock FROM held
), published AS (
  UPDATE aps.job j
     SET state = 'complete', worker = NULL, lease_until = NULL, candidate = NULL,
         published_name = h.candidate, published_digest = %(digest)s, published_epoch = h.epoch, published_at = h.clock,
         updated_at = h.clock, finished_at = h.clock
    FROM judged h
   WHERE j.job_id = h.job_id
     AND h.state = 'running' AND h.worker = %(worker)s AND h.epoch = %(epoch)s AND h.clock < h.lease_until
  RETURNING j.job_id, j.state, j.published_name, j.published_digest, j.published_epoch
), closed AS (
  -- The attempt of a claim in flight is outside this statement's snapshot: an UPDATE would miss it for ever.
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
  SELECT h.job_id, h.epoch, h.worker, h.candidate, h.clock, 'published' FROM judged h JOIN published USING (job_id)
  ON CONFLICT (job_id, epoch) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.job_id, coalesce(p.state, h.state) AS state, h.epoch, h.worker,
         coalesce(p.published_name, h.published_name) AS published_name,
         coalesce(p.published_digest, h.published_digest) AS published_digest,
         coalesce(p.published_epoch, h.published_epoch) AS published_epoch,
         CASE WHEN p.job_id IS NOT NULL THEN 'published'
              WHEN h.state = 'complete' AND h.published_epoch = %(epoch)s AND h.published_digest = %(digest)s THEN 'repeated'
              ELSE 'rejected' END AS answer
    FROM judged h LEFT JOIN published p USING (job_id)
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
  SELECT job_id, answer, %(epoch)s, %(worker)s, 'publication ' || %(digest)s::text FROM answered
)
SELECT job_id, state, epoch, worker, published_name, published_digest, published_epoch, answer FROM answered
