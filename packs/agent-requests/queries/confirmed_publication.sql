-- Requests with a result, within the window. Returns request, step, since, result_version.
SELECT s.request, s.step, s.finished_at AS since, s.result_version
  FROM agent_step s
 WHERE s.state = 'done' AND s.finished_at >= %(finished_since)s
