-- Take the oldest job that ready.sql shows: choosing and possession are this one statement. The epoch rises by one.
-- Binds worker, lease (interval). Returns job_id, kind, epoch, lease_until, candidate, input_name, input_digest.
-- No row: this attempt got nothing now. It does not mean that the queue is empty: another session may hold what is ready.
WITH chosen AS MATERIALIZED (
  SELECT j.job_id FROM aps.job j
   WHERE j.state = 'ready'
     -- A row that inconsistent_row.sql shows is passed over: its next attempt may exist or its epoch cannot rise, and every
     -- claim would fail on it.
     AND j.epoch < 9223372036854775807
     AND NOT EXISTS (SELECT FROM aps.attempt a
                      WHERE a.job_id = j.job_id AND (a.epoch > j.epoch OR a.ended_at IS NULL))
   ORDER BY j.ready_at, j.job_id LIMIT 1 FOR NO KEY UPDATE OF j SKIP LOCKED
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
