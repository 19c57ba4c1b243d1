-- By hand: the same input under another name. Returns nothing.
UPDATE aps.job SET input_name = 'inputs/copy.csv' WHERE job_id = 1
