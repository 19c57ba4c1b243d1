-- Jobs whose lease ran out (equality included) and that fewer workers than the limit have left, this time counted.
-- Returns job_id, since, refusal, kind, worker, epoch, lease_until, candidate, abandoned.
SELECT j.job_id, j.lease_until AS since,
       CASE WHEN j.epoch = 9223372036854775807 THEN 'the epoch is at the end of its range' END AS refusal,
       j.kind, j.worker, j.epoch, j.lease_until, j.candidate, a.abandoned
  FROM aps.job j
 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE a.ended_as IN ('abandoned', 'superseded')) + 1 AS abandoned,
                            min(a.epoch) FILTER (WHERE a.ended_at IS NULL) AS open, max(a.epoch) AS newest
                       FROM aps.attempt a WHERE a.job_id = j.job_id) a
 WHERE j.state = 'running' AND num_nonnulls(j.worker, j.lease_until, j.candidate) = 3
   AND j.lease_until <= %(clock)s
   AND a.open = j.epoch AND a.newest = j.epoch
   AND a.abandoned < %(abandon_limit)s
