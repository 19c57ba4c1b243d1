-- By hand: a worker that was lost is said to have released the job. Returns nothing.
UPDATE aps.attempt SET ended_as = 'released' WHERE (job_id, epoch) = (1, 1)
