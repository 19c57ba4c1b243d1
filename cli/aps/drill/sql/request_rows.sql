-- Every job as its whole row, with how often it was accepted by its events. Returns job_id, whole, accepted.
SELECT j.job_id, to_json(j) AS whole,
       (SELECT count(*) FROM aps.event e WHERE e.job_id = j.job_id AND e.kind = 'accepted') AS accepted
  FROM aps.job j ORDER BY j.job_id
