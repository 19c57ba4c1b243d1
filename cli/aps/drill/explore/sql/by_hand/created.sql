-- By hand: a request that came a little earlier. Returns nothing.
UPDATE aps.job SET created_at = created_at - interval '1 s' WHERE job_id = 1
