-- Requests that any worker may acquire. Returns request, step, since, locked, version, task.
SELECT s.request, s.step, s.opened_at AS since,
       -- A standby sees no locks of the primary: unknown there.
       CASE WHEN NOT pg_is_in_recovery() THEN
         EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'transactionid' AND l.granted AND l.transactionid = s.xmax)
       END AS locked,
       s.version, s.task
  FROM agent_step s
 WHERE s.state = 'open' AND s.version < 9223372036854775807
   AND NOT EXISTS (SELECT FROM agent_ownership o WHERE o.request = s.request AND o.step = s.step
                      AND (o.version > s.version OR o.ended_at IS NULL))
