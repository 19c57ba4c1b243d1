-- The last events of these jobs, newest first. Returns at, kind, epoch, worker, detail.
SELECT at, kind, epoch, worker, detail
  FROM aps.event WHERE job_id = ANY (%(job_id)s::bigint[]) ORDER BY event_id DESC LIMIT 10
