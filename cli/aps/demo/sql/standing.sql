-- Where one job stands now, and whether its lease is over. Returns one row.
SELECT state, worker, epoch, coalesce(lease_until <= clock_timestamp(), false) AS overdue
  FROM aps.job WHERE job_id = %(job_id)s
