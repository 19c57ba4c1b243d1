-- By hand: an attempt that ended a little earlier. Returns nothing.
UPDATE aps.attempt SET ended_at = ended_at - interval '1 s' WHERE (job_id, epoch) = (1, 1)
