-- Jobs under a lease that has not run out on the database clock. Nothing may be done to them, whatever their age.
-- Returns job_id, since, kind, worker, epoch, lease_until, candidate.
SELECT j.job_id, j.started_at AS since, j.kind, j.worker, j.epoch, j.lease_until, j.candidate
  FROM aps.job j
 CROSS JOIN LATERAL (SELECT min(a.epoch) FILTER (WHERE a.ended_at IS NULL) AS open, max(a.epoch) AS newest
                       FROM aps.attempt a WHERE a.job_id = j.job_id) a
 WHERE j.state = 'running' AND num_nonnulls(j.worker, j.lease_until, j.candidate) = 3
   AND j.lease_until > %(clock)s AND j.lease_until <= %(clock)s + %(max_lease)s
   AND a.open = j.epoch AND a.newest = j.epoch
