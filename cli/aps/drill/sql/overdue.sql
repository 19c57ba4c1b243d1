-- Whether the lease of a job is over. Returns overdue.
SELECT coalesce(lease_until <= clock_timestamp(), false) AS overdue FROM aps.job WHERE job_id = %(job_id)s
