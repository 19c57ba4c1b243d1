-- C20: the file is finished, the confirming transaction never happened. The seed's job 120, and one whose file is empty.
INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at, updated_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c20-' || id, 'render', 'running', 'w2', 2, clock_timestamp() - interval '25 min', id || '/2-a',
       clock_timestamp() - interval '80 min', clock_timestamp() - interval '70 min', clock_timestamp() - interval '26 min'
  FROM unnest(ARRAY[120, 1201]) AS id;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT id, epoch, worker, id || '/' || epoch || '-a', clock_timestamp() - began, clock_timestamp() - ended, ended_as
  FROM unnest(ARRAY[120, 1201]) AS id,
       (VALUES (1, 'w1', interval '80 min', interval '71 min', 'released'), (2, 'w2', interval '70 min', NULL, NULL))
         AS a (epoch, worker, began, ended, ended_as);
