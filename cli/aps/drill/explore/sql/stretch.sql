-- A lease that no worker was given: longer than the longest one. Returns nothing.
UPDATE aps.job SET lease_until = clock_timestamp() + interval '1 day' WHERE job_id = 1
