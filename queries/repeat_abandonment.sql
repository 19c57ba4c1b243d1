-- Unfinished jobs that more than one worker left without a word in the window: look at the cause before the lease.
-- Returns job_id, since, closed_abandonments (without a loss that is still in hand), workers, previous_window.
SELECT j.job_id, a.since, a.closed_abandonments, a.workers, a.previous_window
  FROM aps.job j
 CROSS JOIN LATERAL (
       SELECT min(a.ended_at) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS since,
              count(*) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS closed_abandonments,
              count(DISTINCT a.worker) FILTER (WHERE a.ended_at > %(clock)s - %(abandonment_window)s) AS workers,
              count(*) FILTER (WHERE a.ended_at <= %(clock)s - %(abandonment_window)s
                                 AND a.ended_at > %(clock)s - 2 * %(abandonment_window)s) AS previous_window
         FROM aps.attempt a
        WHERE a.job_id = j.job_id AND a.ended_as IN ('abandoned', 'superseded')) a
 WHERE j.state IN ('ready', 'running') AND a.closed_abandonments > 1
