-- Leases that are renewed while one ownership has lasted longer than the parameter allows: alive by renewal, and nothing
-- but renewals is recorded of it. Returns request, step, since, worker, version, renewed_at, expires_at.
SELECT s.request, s.step, o.acquired_at AS since, s.worker, s.version, s.renewed_at, s.expires_at
  FROM agent_step s
  JOIN agent_ownership o ON o.request = s.request AND o.step = s.step AND o.version = s.version
 WHERE s.state = 'owned' AND s.expires_at > %(clock)s
   AND o.acquired_at <= %(clock)s - %(no_progress_after)s AND s.updated_at <= %(clock)s - %(no_progress_after)s
