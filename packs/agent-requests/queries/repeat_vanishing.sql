-- Unfinished requests from which more than one worker vanished in the window: look at the cause before any lease.
-- Returns request, step, since, vanished, workers, previous_window.
SELECT s.request, s.step, o.since, o.vanished, o.workers, o.previous_window
  FROM agent_step s
 CROSS JOIN LATERAL (
       SELECT min(o.ended_at) FILTER (WHERE o.ended_at > %(clock)s - %(vanishing_window)s) AS since,
              count(*) FILTER (WHERE o.ended_at > %(clock)s - %(vanishing_window)s) AS vanished,
              count(DISTINCT o.worker) FILTER (WHERE o.ended_at > %(clock)s - %(vanishing_window)s) AS workers,
              count(*) FILTER (WHERE o.ended_at <= %(clock)s - %(vanishing_window)s
                                 AND o.ended_at > %(clock)s - 2 * %(vanishing_window)s) AS previous_window
         FROM agent_ownership o
        WHERE o.request = s.request AND o.step = s.step AND o.ended_as = 'vanished') o
 WHERE s.state <> 'done' AND o.vanished >= %(vanishing_limit)s
