-- Leases that are renewed while the work has not moved: alive by heartbeat, silent by progress.
-- Returns job_id, since, worker, epoch, lease_until.
SELECT job_id, updated_at AS since, worker, epoch, lease_until
  FROM aps.job
 WHERE state = 'running' AND lease_until > %(clock)s AND updated_at <= %(clock)s - %(no_progress_after)s
