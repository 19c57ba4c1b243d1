-- By hand: a lease that ended a little earlier. Returns nothing.
UPDATE aps.job SET lease_until = lease_until - interval '1 s' WHERE job_id = 1
