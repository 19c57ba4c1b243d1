-- Lock one job for as long as the transaction lasts. Returns job_id.
SELECT job_id FROM aps.job WHERE job_id = %(job_id)s FOR NO KEY UPDATE
