-- Hold the row of a job until the transaction ends. Returns job_id.
SELECT job_id FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
