-- By hand: another owner under the same epoch; the schema forbids it. Returns nothing.
UPDATE aps.job SET worker = 'somebody' WHERE job_id = 1
