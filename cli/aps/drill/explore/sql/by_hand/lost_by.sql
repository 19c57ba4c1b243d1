-- By hand: a worker that was lost is said to have been another one. Returns nothing.
UPDATE aps.attempt SET worker = 'A' WHERE (job_id, epoch) = (1, 1)
