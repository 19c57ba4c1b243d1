-- Every ownership of a job, oldest first. Returns epoch, worker, candidate, ended_as.
SELECT epoch, worker, candidate, ended_as FROM aps.attempt WHERE job_id = %(job_id)s ORDER BY epoch
