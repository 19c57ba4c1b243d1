-- By hand: a job that does not run any more, whoever has it; the schema forbids it. Returns nothing.
UPDATE aps.job SET state = 'ready' WHERE job_id = 1
