-- C06: a reset changed the state only. Impossible with the constraint ownership_where_running: it is dropped here.
ALTER TABLE aps.job DROP CONSTRAINT ownership_where_running;
SELECT pg_temp.running(106, 'w4', 6, -300, -400, -290);
UPDATE aps.job SET state = 'ready' WHERE job_id = 106;
