-- What happened to a job, in order. Returns event_id, kind, epoch, worker, detail.
SELECT event_id, kind, epoch, worker, detail FROM aps.event WHERE job_id = %(job_id)s ORDER BY event_id
