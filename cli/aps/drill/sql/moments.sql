-- What happened to a job, in order, with the seconds from a moment to it. Returns kind, epoch, worker, later.
SELECT kind, epoch, worker, extract(epoch FROM at - %(moment)s::timestamptz) AS later
  FROM aps.event WHERE job_id = %(job_id)s ORDER BY event_id
