-- For the trial of deadlocks only: a claim of a job by its number, which waits for whoever holds the row.
-- Returns job_id, epoch.
WITH chosen AS MATERIALIZED (
  SELECT job_id FROM aps.job WHERE job_id = %(job_id)s AND state = 'ready' FOR NO KEY UPDATE
), claimed AS (
  UPDATE aps.job j
     SET state = 'running', worker = %(worker)s, epoch = j.epoch + 1,
         lease_until = clock_timestamp() + %(lease)s::interval,
         candidate = j.job_id || '/' || j.epoch + 1 || '-' || left(replace(gen_random_uuid()::text, '-', ''), 12),
         started_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM chosen c
   WHERE j.job_id = c.job_id
  RETURNING j.job_id, j.worker, j.epoch, j.candidate
), attempted AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate) SELECT job_id, epoch, worker, candidate FROM claimed
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker) SELECT job_id, 'claimed', epoch, worker FROM claimed
)
SELECT job_id, epoch FROM claimed
