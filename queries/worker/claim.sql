-- Take the oldest ready job: choosing and possession are this one statement. The epoch rises by one.
-- Binds worker, lease (interval). Returns job_id, kind, epoch, lease_until, candidate, input_name, input_digest.
-- No row: this attempt got nothing now. It does not mean that the queue is empty: another session may hold what is ready.
WITH chosen AS MATERIALIZED (
  SELECT job_id FROM aps.job WHERE state = 'ready'
   ORDER BY ready_at, job_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE aps.job j
     SET state = 'running', worker = %(worker)s, epoch = j.epoch + 1,
         lease_until = clock_timestamp() + %(lease)s::interval,
         candidate = j.job_id || '/' || j.epoch + 1 || '-' || left(replace(gen_random_uuid()::text, '-', ''), 12),
         started_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM chosen c
   WHERE j.job_id = c.job_id
  RETURNING j.job_id, j.kind, j.worker, j.epoch, j.lease_until, j.candidate, j.input_name, j.input_digest
), attempted AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate) SELECT job_id, epoch, worker, candidate FROM claimed
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker) SELECT job_id, 'claimed', epoch, worker FROM claimed
)
SELECT job_id, kind, epoch, lease_until, candidate, input_name, input_digest FROM claimed
