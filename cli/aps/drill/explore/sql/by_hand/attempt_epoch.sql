-- By hand: an attempt of another epoch alone; the schema forbids it. Returns nothing.
UPDATE aps.attempt SET epoch = 9 WHERE (job_id, epoch) = (1, 1)
