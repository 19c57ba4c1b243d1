-- C21: writer killed mid-write; the file at the published name is short. All published; their files are made by the test.
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch, published_at,
                     ready_at, started_at, updated_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c21-' || id, 'render', 'complete', 1, id || '/1-a', 'sha256:' || encode(sha256('the whole result'), 'hex'), 1, at,
       at - interval '10 min', at - interval '10 min', at, at
  FROM unnest(ARRAY[121, 1211, 1212]) AS id, (SELECT clock_timestamp() - interval '60 min' AS at) AS t;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT job_id, 1, 'w2', published_name, started_at, published_at, 'published' FROM aps.job WHERE state = 'complete';
