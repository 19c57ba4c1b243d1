-- C26: expiry and need disagree: published 13 days ago, and no file. 1261 was published an hour ago.
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch, published_at,
                     ready_at, started_at, updated_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c26-' || id, 'render', 'complete', 1, id || '/1-a', 'sha256:' || repeat('26', 32), 1, at, at, at, at, at
  FROM (VALUES (126, clock_timestamp() - interval '13 d'), (1261, clock_timestamp() - interval '1 h')) AS p (id, at);
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT job_id, 1, 'w1', published_name, started_at, published_at, 'published' FROM aps.job WHERE state = 'complete';
