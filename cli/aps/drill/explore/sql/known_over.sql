-- The owner of a row that was forged may lose it, whatever its lease says. Returns nothing.
INSERT INTO drill.over (job_id, epoch, event_id, change_id) SELECT job_id, epoch, 0, 0 FROM aps.job WHERE job_id = 1
