-- What a person types today: how much of each kind is unfinished.
SELECT state, count(*), min(coalesce(lease_until, ready_at)) FROM aps.job
 WHERE state NOT IN ('complete', 'cancelled', 'failed') GROUP BY state;
