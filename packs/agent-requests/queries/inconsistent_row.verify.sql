-- What must hold after the commit, whoever has acquired the request since: the reclaim is on record and its version stands
-- or was passed. Returns request, step, reason.
SELECT s.request, s.step, 'the reclaim is not on record, or the version fell below it' AS reason
  FROM unnest(%(request)s::text[], %(step)s::integer[]) AS k (request, step)
  JOIN agent_step s ON s.request = k.request AND s.step = k.step
 WHERE NOT EXISTS (SELECT FROM agent_event e
                    WHERE e.request = s.request AND e.step = s.step AND e.kind = 'reclaimed' AND e.version <= s.version
                      AND e.detail LIKE %(operation)s::text || ':%%')
