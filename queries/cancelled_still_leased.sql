-- Cancelled jobs whose lease has not ended: the process may still run and write.
-- Returns job_id, since, worker, epoch, lease_until.
SELECT job_id, finished_at AS since, worker, epoch, lease_until
  FROM aps.job
 WHERE state = 'cancelled' AND lease_until IS NOT NULL AND lease_until > %(clock)s
