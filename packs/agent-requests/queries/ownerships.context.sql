-- The ownerships of these requests, newest first. Returns version, worker, acquired_at, ended_at, ended_as.
SELECT 'version ' || o.version AS version, o.worker, o.acquired_at, o.ended_at, coalesce(o.ended_as, 'open') AS ended_as
  FROM agent_ownership o
  JOIN unnest(%(request)s::text[], %(step)s::integer[]) AS k (request, step) USING (request, step)
 ORDER BY o.version DESC LIMIT 10
