-- How many jobs are ready, whoever holds their rows: read without a lock, so that nothing is skipped. Returns ready.
SELECT count(*) AS ready FROM aps.job WHERE state = 'ready'
