-- By hand: an attempt that ended in another way. Returns nothing.
UPDATE aps.attempt SET ended_as = 'released' WHERE (job_id, epoch) = (1, 1)
