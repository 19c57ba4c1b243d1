-- C30: mass expiry: 5000 jobs of 42 kinds, whose leases ran out within 15 hours, on seven workers. No two at one time.
WITH made AS (
  INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at, updated_at)
  OVERRIDING SYSTEM VALUE
  SELECT 30000 + n, 'c30-' || n, 'k' || n % 42, 'running', 'w' || n % 7, 1, lease, 30000 + n || '/1-a', lease, lease, lease
    FROM generate_series(1, 5000) AS n,
         LATERAL (SELECT clock_timestamp() - make_interval(mins => n % 900 + 5) AS lease) AS l
  RETURNING job_id, epoch, worker, candidate, lease_until
)
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at)
SELECT job_id, epoch, worker, candidate, lease_until FROM made;
