-- Requests with writes that came too late in the window and were refused: a worker still works without authority.
-- One item an ownership. Returns request, step, item, since, version, worker, rejected, last_detail.
SELECT request, step, 'version ' || version || ' of ' || worker AS item, max(at) AS since, version, worker,
       count(*) AS rejected, (array_agg(detail ORDER BY event_id DESC))[1] AS last_detail
  FROM agent_event
 WHERE kind = 'rejected' AND at > %(clock)s - %(rejection_window)s
 GROUP BY request, step, version, worker
