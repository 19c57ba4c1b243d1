-- Jobs with writes of workers that came too late in the window and that the fence refused: a worker still works without
-- authority. A refused cancellation or input has no worker and is none of these. One item an ownership.
-- Returns job_id, item, since, epoch, worker, rejected, last_detail.
SELECT job_id, 'epoch ' || epoch || ' of ' || worker AS item, max(at) AS since, epoch, worker,
       count(*) AS rejected, (array_agg(detail ORDER BY event_id DESC))[1] AS last_detail
  FROM aps.event
 WHERE kind = 'rejected' AND worker IS NOT NULL AND at > %(clock)s - %(rejection_window)s
 GROUP BY job_id, epoch, worker
