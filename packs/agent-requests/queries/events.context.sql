-- The last events of these requests, newest first. Returns at, kind, version, worker, detail.
SELECT e.at, e.kind, 'version ' || e.version AS version, e.worker, e.detail
  FROM agent_event e
  JOIN unnest(%(request)s::text[], %(step)s::integer[]) AS k (request, step) USING (request, step)
 ORDER BY e.event_id DESC LIMIT 10
