-- Take over the job whose lease ran out longest ago and that fewer than abandon_limit workers have left, this time counted.
-- The worker changes, the epoch rises by one, the attempt before is closed as superseded. Its process may still run.
-- Binds worker, lease (interval), abandon_limit. Returns what claim returns. No row: nothing can be adopted now.
WITH chosen AS MATERIALIZED (
  SELECT j.job_id, j.worker, j.epoch, j.candidate
    FROM aps.job j
   WHERE j.state = 'running' AND j.lease_until <= clock_timestamp()
     AND %(abandon_limit)s > (SELECT count(*) + 1 FROM aps.attempt a
                               WHERE a.job_id = j.job_id AND a.ended_as IN ('abandoned', 'superseded'))
   ORDER BY j.lease_until, j.job_id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
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
