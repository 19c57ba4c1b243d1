-- The row of one job, whole. Returns its columns.
SELECT * FROM aps.job WHERE job_id = %(job_id)s
