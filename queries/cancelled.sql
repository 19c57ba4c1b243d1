-- Jobs that a caller or operator cancelled. It forbids transitions; it ended no process and undid no effect.
-- Returns job_id, since, kind, epoch, worker, lease_until, reason.
SELECT job_id, finished_at AS since, kind, epoch, worker, lease_until, reason
  FROM aps.job
 WHERE state = 'cancelled' AND finished_at >= %(finished_since)s
