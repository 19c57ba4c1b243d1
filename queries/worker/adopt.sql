-- Take over the job of adoption.sql whose lease ran out longest ago: fewer than abandon_limit workers have left it, this
-- time counted.
-- The worker changes, the epoch rises by one, the attempt before is closed as superseded. Its process may still run.
-- Binds worker, lease (interval), abandon_limit. Returns what claim returns. No row: nothing can be adopted now.
WITH chosen AS MATERIALIZED (
  SELECT j.job_id, j.worker, j.epoch, j.candidate
    FROM aps.job j
   -- Read once, so that the index gives only what is over; a lock is never waited for, so the clock is not too old.
   WHERE j.state = 'running' AND j.lease_until <= (SELECT clock_timestamp())
     -- A row that inconsistent_row.sql shows is passed over: its next attempt may exist, and every adoption would fail on it;
     -- so is one whose epoch cannot rise.
     AND j.epoch < 9223372036854775807
     AND (j.epoch, j.epoch) = (SELECT min(a.epoch) FILTER (WHERE a.ended_at IS NULL), max(a.epoch)
                                 FROM aps.attempt a WHERE a.job_id = j.job_id)
     AND %(abandon_limit)s > (SELECT count(*) + 1 FROM aps.attempt a
                               WHERE a.job_id = j.job_id AND a.ended_as IN ('abandoned', 'superseded'))
   ORDER BY j.lease_until, j.job_id LIMIT 1 FOR NO KEY UPDATE OF j SKIP LOCKED
), adopted AS (
  UPDATE aps.job j
     SET worker = %(worker)s, epoch = j.epoch + 1, lease_until = clock_timestamp() + %(lease)s::interval,
         candidate = j.job_id || '/' || j.epoch + 1 || '-' || left(replace(gen_random_uuid()::text, '-', ''), 12),
         started_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM chosen c
   WHERE j.job_id = c.job_id
  RETURNING j.job_id, j.kind, j.worker, j.epoch, j.lease_until, j.candidate, j.input_name, j.input_digest
), closed AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
  SELECT c.job_id, c.epoch, c.worker, c.candidate, clock_timestamp(), 'superseded' FROM chosen c JOIN adopted USING (job_id)
  ON CONFLICT (job_id, epoch) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), attempted AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate) SELECT job_id, epoch, worker, candidate FROM adopted
), logged AS (
  INSERT INTO aps.event (job_id, kind, epoch, worker) SELECT job_id, 'adopted', epoch, worker FROM adopted
)
SELECT job_id, kind, epoch, lease_until, candidate, input_name, input_digest FROM adopted
