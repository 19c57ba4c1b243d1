-- Every file ever handed out for given jobs, whatever became of it.
-- Returns job_id, name, epoch.
SELECT job_id, candidate AS name, epoch FROM aps.attempt WHERE job_id = ANY (%(job_id)s::bigint[])
