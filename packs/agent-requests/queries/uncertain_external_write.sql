-- Requests with a write to another system that was begun and whose outcome nobody knows: its worker said so, or its time
-- ran out in between. Returns request, step, since, external_operation, version, worker, because.
SELECT s.request, s.step, coalesce(s.expires_at, s.updated_at) AS since, s.external_operation, s.version, s.worker,
       CASE s.state WHEN 'owned' THEN 'its worker is overdue' ELSE 'its worker said so' END AS because
  FROM agent_step s
 WHERE s.state = 'uncertain' OR (s.state = 'owned' AND s.expires_at <= %(clock)s AND s.external_operation IS NOT NULL)
