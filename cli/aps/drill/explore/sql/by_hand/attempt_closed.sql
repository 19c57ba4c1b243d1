-- By hand: the open attempt is closed, its job is not. Returns nothing.
UPDATE aps.attempt SET ended_at = clock_timestamp(), ended_as = 'released' WHERE (job_id, epoch) = (1, 1)
