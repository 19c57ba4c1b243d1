-- What consumers read as the result of a job; no row where it has none. Returns name, digest, epoch.
SELECT name, digest, epoch FROM aps.valid_result WHERE job_id = %(job_id)s
