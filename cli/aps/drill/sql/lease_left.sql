-- How much of a job's lease is left by the server's clock, in seconds. Returns left.
SELECT extract(epoch FROM lease_until - clock_timestamp()) AS left FROM aps.job WHERE job_id = %(job_id)s
