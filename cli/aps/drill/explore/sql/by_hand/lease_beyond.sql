-- By hand: a lease that is longer still. Returns nothing.
UPDATE aps.job SET lease_until = lease_until + interval '1 h' WHERE job_id = 1
