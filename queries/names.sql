-- The files that rows claim: the input while it is unconfirmed, the publication while it stands (those of the window),
-- the candidate in hand.
-- Returns job_id, name, epoch.
SELECT job_id, input_name AS name, epoch FROM aps.job WHERE state = 'materializing'
UNION ALL
SELECT job_id, published_name, published_epoch FROM aps.job
 WHERE published_name IS NOT NULL AND withdrawn_at IS NULL AND finished_at >= %(finished_since)s
UNION ALL
SELECT job_id, candidate, epoch FROM aps.job WHERE state = 'running' AND candidate IS NOT NULL
