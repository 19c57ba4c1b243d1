-- Requests that a worker owns whose time has not run out on the database clock.
-- Returns request, step, since, worker, version, expires_at, external_operation.
SELECT s.request, s.step, s.renewed_at AS since, s.worker, s.version, s.expires_at, s.external_operation
  FROM agent_step s
 CROSS JOIN LATERAL (SELECT min(o.version) FILTER (WHERE o.ended_at IS NULL) AS open, max(o.version) AS newest
                       FROM agent_ownership o WHERE o.request = s.request AND o.step = s.step) o
 WHERE s.state = 'owned' AND s.expires_at > %(clock)s AND s.expires_at <= %(clock)s + %(max_lease)s
   AND o.open = s.version AND o.newest = s.version
