-- Publications that an operator withdrew because their file was gone or wrong. Consumers no longer see them.
-- Returns job_id, since, kind, epoch, published_name, published_digest.
SELECT job_id, withdrawn_at AS since, kind, published_epoch AS epoch, published_name, published_digest
  FROM aps.job
 WHERE state = 'complete' AND withdrawn_at IS NOT NULL AND finished_at >= %(finished_since)s
