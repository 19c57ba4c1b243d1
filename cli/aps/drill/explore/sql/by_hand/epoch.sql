-- By hand: another epoch alone; the schema forbids it. Returns nothing.
UPDATE aps.job SET epoch = epoch + 1 WHERE job_id = 1
