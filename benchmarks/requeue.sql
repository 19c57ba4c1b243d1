-- What a person types today, and should not: an unfenced requeue of a thousand rows.
UPDATE aps.job SET state = 'ready', epoch = epoch + 1, worker = NULL, lease_until = NULL, candidate = NULL
 WHERE job_id IN (SELECT job_id FROM aps.job WHERE state = 'running' AND lease_until <= now()
                   ORDER BY lease_until, job_id LIMIT 1000);
