-- By hand: a job that changed a little earlier. Returns nothing.
UPDATE aps.job SET updated_at = updated_at - interval '1 s' WHERE job_id = 1
