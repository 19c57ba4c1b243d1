-- Requests that a worker owns whose time has not run out on the database clock.
-- Returns request, step, since, worker, version, expires_at, external_operation.
SELECT s.request, s.step, s.renewed_at AS since, s.worker, s.version, s.expires_at, s.external_operation
  FROM agent_step s
 WHERE s.state = 'owned' AND s.expires_at > %(clock)s
