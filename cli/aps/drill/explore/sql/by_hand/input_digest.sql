-- By hand: another input under the same name. Returns nothing.
UPDATE aps.job SET input_digest = 'sha256:' || repeat('0', 64) WHERE job_id = 1
