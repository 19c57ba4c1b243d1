-- By hand: another file under the same epoch; the schema forbids it. Returns nothing.
UPDATE aps.job SET candidate = '1/' || epoch || '-other' WHERE job_id = 1
