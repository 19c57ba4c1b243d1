-- Requests whose owner's time ran out and that as many owners as the limit have left, this time counted: the request itself
-- is suspect, and opening it once more makes the loop reliable.
-- Returns request, step, since, refusal, worker, version, expires_at, vanished, workers.
SELECT s.request, s.step, s.expires_at AS since,
       CASE WHEN s.version = 9223372036854775807 THEN 'the version is at the end of its range' END AS refusal,
       s.worker, s.version, s.expires_at, o.vanished, o.workers
  FROM agent_step s
 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE o.ended_as = 'vanished') + 1 AS vanished,
                            count(DISTINCT o.worker) AS workers,
                            min(o.version) FILTER (WHERE o.ended_at IS NULL) AS open, max(o.version) AS newest
                       FROM agent_ownership o WHERE o.request = s.request AND o.step = s.step) o
 WHERE s.state = 'owned' AND s.expires_at <= %(clock)s AND s.external_operation IS NULL
   AND o.open = s.version AND o.newest = s.version
   AND o.vanished >= %(abandon_limit)s
