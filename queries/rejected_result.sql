-- Jobs with writes that came too late in the window and that the fence refused: a worker still works without authority.
-- One item an ownership. Returns job_id, item, since, epoch, worker, rejected, last_detail.
SELECT job_id, 'epoch ' || epoch || coalesce(' of ' || worker, '') AS item, max(at) AS since, epoch, worker,
       count(*) AS rejected, max(detail) AS last_detail
  FROM aps.event
 WHERE kind = 'rejected' AND at > %(clock)s - %(rejection_window)s
 GROUP BY job_id, epoch, worker
