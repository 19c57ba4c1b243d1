-- The files that rows claim: the input while it is unconfirmed, the publication while it stands, the candidate in hand.
-- Returns job_id, name, epoch.
SELECT job_id, input_name AS name, epoch FROM aps.job WHERE state = 'materializing'
UNION ALL
SELECT job_id, published_name, published_epoch FROM aps.job WHERE published_name IS NOT NULL AND withdrawn_at IS NULL
UNION ALL
SELECT job_id, candidate, epoch FROM aps.job WHERE candidate IS NOT NULL
