-- C25: a cleaner runs between upload and registration. 125 writes under its live lease; 1251 has passed to another owner,
-- whose own file is not there yet; 1252 was passed on within the grace.
INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at, updated_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c25-' || id, 'render', 'running', 'w3', 4, clock_timestamp() + interval '5 min', id || '/4-a.part',
       clock_timestamp() - interval '2 h', clock_timestamp() - interval '9 min', clock_timestamp() - interval '1 min'
  FROM unnest(ARRAY[125, 1251, 1252]) AS id;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT id, 4, 'w3', id || '/4-a.part', clock_timestamp() - interval '9 min', NULL, NULL
  FROM unnest(ARRAY[125, 1251, 1252]) AS id
UNION ALL
SELECT id, 3, 'w2', id || '/3-a.part', clock_timestamp() - interval '90 min', clock_timestamp() - ended, 'superseded'
  FROM (VALUES (1251, interval '31 min'), (1252, interval '29 min')) AS spent (id, ended);
