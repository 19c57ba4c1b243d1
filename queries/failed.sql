-- Jobs that failed for good, by their worker's word or because too many workers were lost to them.
-- Returns job_id, since, kind, epoch, reason.
SELECT job_id, finished_at AS since, kind, epoch, reason
  FROM aps.job
 WHERE state = 'failed' AND finished_at >= %(finished_since)s
