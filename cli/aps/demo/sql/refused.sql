-- The newest write of a job under an epoch that the fence refused. Returns at most one row.
SELECT at, epoch, worker, detail
  FROM aps.event
 WHERE kind = 'rejected' AND job_id = %(job_id)s AND epoch = %(epoch)s
 ORDER BY event_id DESC LIMIT 1
