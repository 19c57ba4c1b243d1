-- By hand: an attempt of another worker. Returns nothing.
UPDATE aps.attempt SET worker = 'somebody' WHERE (job_id, epoch) = (1, 1)
