-- A publication for each line of standard input: job, digest.
BEGIN;
SET LOCAL session_replication_role = replica;
CREATE TEMP TABLE file (job_id bigint, digest text) ON COMMIT DROP;
\copy file FROM pstdin WITH (FORMAT csv)
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch,
                     published_at, ready_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT job_id, 'file-' || job_id, 'bench', 'complete', 1, job_id || '/1-bench', digest, 1, now(), now(), now() FROM file;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT job_id, 1, 'w' || job_id % 50, job_id || '/1-bench', now(), 'published' FROM file;
COMMIT;
VACUUM ANALYZE aps.job;
VACUUM ANALYZE aps.attempt;
