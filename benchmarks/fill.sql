-- A queue of some size: finished jobs over the past days, ready ones, and running ones whose lease is over.
BEGIN;
SET LOCAL session_replication_role = replica;
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch,
                     published_at, ready_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT g, 'finished-' || g, 'bench', 'complete', 1, g || '/1-bench', 'sha256:' || repeat('a', 64), 1,
       now() - g * interval '10 s', now() - g * interval '11 s', now() - g * interval '10 s'
  FROM generate_series(1, :finished) g;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT g, 1, 'w' || g % 50, g || '/1-bench', now(), 'published' FROM generate_series(1, :finished) g;
INSERT INTO aps.job (job_id, request_key, kind, state, ready_at)
OVERRIDING SYSTEM VALUE
SELECT :finished + g, 'ready-' || g, 'bench', 'ready', now() - g % 600 * interval '1 s'
  FROM generate_series(1, :ready) g;
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, ready_at, worker, lease_until, candidate, started_at)
OVERRIDING SYSTEM VALUE
SELECT :finished + :ready + g, 'expired-' || g, 'bench', 'running', 1, now(), 'w' || g % 7,
       now() - g % 900 * interval '1 s', :finished + :ready + g || '/1-bench', now()
  FROM generate_series(1, :expired) g;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate)
SELECT :finished + :ready + g, 1, 'w' || g % 7, :finished + :ready + g || '/1-bench'
  FROM generate_series(1, :expired) g;
COMMIT;
VACUUM ANALYZE aps.job;
VACUUM ANALYZE aps.attempt;
