-- By hand: a publication of another time; the schema forbids it. Returns nothing.
UPDATE aps.job SET published_at = published_at - interval '1 s' WHERE job_id = 1
