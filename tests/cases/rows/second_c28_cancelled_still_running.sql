-- C28: cancelled, and the process goes on. 128 has its lease still; 1281 lost it a minute ago; 1282 an hour ago; 1283 was
-- cancelled before anybody claimed it; the lease of 1284 ends far in the future.
INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, reason, ready_at, started_at,
                     updated_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT id, 'c28-' || id, 'render', 'cancelled', 'w4', 3, clock_timestamp() + lease, id || '/3-a', 'not needed',
       clock_timestamp() - interval '3 h', clock_timestamp() - interval '2 h', ended, ended
  FROM (VALUES (128, interval '2 min', interval '5 min'), (1281, interval '-1 min', interval '5 min'),
               (1282, interval '-1 h', interval '70 min'), (1284, interval '3650 d', interval '5 min')) AS j (id, lease, ago),
       LATERAL (SELECT clock_timestamp() - ago AS ended) AS e;
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
SELECT job_id, 3, 'w4', candidate, started_at, finished_at, 'cancelled' FROM aps.job WHERE state = 'cancelled';
INSERT INTO aps.job (job_id, request_key, kind, state, reason, ready_at, updated_at, finished_at)
OVERRIDING SYSTEM VALUE
VALUES (1283, 'c28-1283', 'render', 'cancelled', 'not needed', clock_timestamp(), clock_timestamp(), clock_timestamp());
