-- C31: a table too large to look at: 600 running jobs, a long history of attempts, and nothing that finds the attempts of
-- a job. Every running job costs a scan of all of them.
SET session_replication_role = replica;
ALTER TABLE aps.attempt DROP CONSTRAINT attempt_pkey, DROP CONSTRAINT attempt_candidate_key,
  DROP CONSTRAINT candidate_of_this_epoch;
DROP INDEX aps.attempt_vanished;
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch, published_at,
                     ready_at, started_at, updated_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT 31, 'c31', 'render', 'complete', 200000, '31/200000-a', 'sha256:' || repeat('31', 32), 200000, at, at, at, at, at
  FROM (SELECT clock_timestamp() - interval '1 h' AS at) AS t;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT 31, n, 'w1', '31/' || n || '-a', now() - interval '1 h', now() - interval '1 h', 'released'
  FROM generate_series(1, 200000) AS n;
SELECT pg_temp.running(310000 + n, 'w' || n % 7, 1, CASE WHEN n <= 100 THEN -5 ELSE 10 END) FROM generate_series(1, 600) AS n;
SELECT pg_temp.ready(319000 + n) FROM generate_series(1, 5) AS n;
RESET session_replication_role;
ANALYZE aps.job, aps.attempt;
