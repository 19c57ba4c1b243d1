-- Unfinished jobs that more than one worker left without a word in the window: look at the cause before the lease.
-- Returns job_id, since, abandoned, workers, previous_window.
SELECT j.job_id, a.since, a.abandoned, a.workers, a.previous_window
  FROM aps.job j
 CROSS JOIN LATERAL (
       SELECT min(a.ended_at) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS since,
              count(*) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS abandoned,
              count(DISTINCT a.worker) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS workers,
              count(*) FILTER (WHERE a.ended_at <= %(clock)s - %(abandonment_window)s
                                 AND a.ended_at > %(clock)s - 2 * %(abandonment_window)s) AS previous_window
         FROM aps.attempt a
        WHERE a.job_id = j.job_id AND a.ended_as IN ('abandoned', 'superseded')) a
 WHERE j.state IN ('ready', 'running') AND a.abandoned > 1
