-- Unfinished rows that no correct writer leaves. The other lifecycle queries exclude them.
-- Returns job_id, since, refusal, fault, kind, state, worker, epoch, lease_until, candidate, newest_attempt, open_attempt.
SELECT j.job_id, j.updated_at AS since,
       CASE WHEN a.newest > j.epoch THEN 'an attempt stands above its epoch: was the database restored? ask the DBA'
            WHEN j.epoch = 9223372036854775807 THEN 'the epoch is at the end of its range' END AS refusal,
       CASE WHEN a.newest > j.epoch THEN 'an attempt above its epoch'
            WHEN j.state <> 'running' AND num_nonnulls(j.worker, j.lease_until, j.candidate) > 0
                 THEN j.state || ' with a worker, lease or candidate'
            WHEN j.state <> 'running' AND a.open IS NOT NULL THEN j.state || ' with an open attempt'
            WHEN j.state <> 'running' THEN j.state || ' at an epoch that cannot rise: no worker can claim it'
            WHEN j.worker IS NULL THEN 'running without a worker'
            WHEN j.lease_until IS NULL THEN 'running without a lease'
            WHEN j.candidate IS NULL THEN 'running without a candidate'
            WHEN a.open < j.epoch THEN 'an open attempt below its epoch'
            WHEN a.open IS NULL THEN 'running without an open attempt'
            ELSE 'a lease beyond the longest that is given' END AS fault,
       j.kind, j.state, j.worker, j.epoch, j.lease_until, j.candidate, a.newest AS newest_attempt, a.open AS open_attempt
  FROM aps.job j
 CROSS JOIN LATERAL (SELECT min(a.epoch) FILTER (WHERE a.ended_at IS NULL) AS open, max(a.epoch) AS newest
                       FROM aps.attempt a WHERE a.job_id = j.job_id) a
 WHERE j.state IN ('materializing', 'ready', 'running')  -- said alone, so that the index on unfinished jobs serves
   AND CASE WHEN j.state = 'running'
            THEN num_nonnulls(j.worker, j.lease_until, j.candidate) < 3
                 OR a.open IS DISTINCT FROM j.epoch OR a.newest IS DISTINCT FROM j.epoch
                 OR j.lease_until > %(clock)s + %(max_lease)s
            ELSE num_nonnulls(j.worker, j.lease_until, j.candidate) > 0 OR a.open IS NOT NULL OR a.newest > j.epoch
                 OR j.epoch = 9223372036854775807 END
