-- By hand: another kind of job. Returns nothing.
UPDATE aps.job SET kind = 'forecast' WHERE job_id = 1
