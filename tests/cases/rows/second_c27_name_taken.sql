-- C27: attempt 1 wrote the name and failed later; attempt 2 has the same name in hand. The constraints of the reference
-- queue forbid this (a name holds job and epoch, and is given once); they are dropped here to show what aps says without.
ALTER TABLE aps.job DROP CONSTRAINT candidate_of_this_epoch, DROP CONSTRAINT published_name_of_this_epoch;
ALTER TABLE aps.attempt DROP CONSTRAINT candidate_of_this_epoch, DROP CONSTRAINT attempt_candidate_key;
CREATE INDEX attempt_candidate ON aps.attempt (candidate);
INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at, updated_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c27-' || id, 'render', 'running', 'w2', 2, clock_timestamp() + lease, 'report-' || id,
       clock_timestamp() - interval '2 h', clock_timestamp() - interval '40 min', clock_timestamp() - interval '1 min'
  FROM (VALUES (127, interval '6 min'), (1271, interval '-1 min')) AS j (id, lease);
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT id, epoch, 'w' || epoch, 'report-' || id, clock_timestamp() - began, clock_timestamp() - ended, ended_as
  FROM unnest(ARRAY[127, 1271]) AS id,
       (VALUES (1, interval '2 h', interval '50 min', 'failed'), (2, interval '40 min', NULL, NULL))
         AS a (epoch, began, ended, ended_as);
