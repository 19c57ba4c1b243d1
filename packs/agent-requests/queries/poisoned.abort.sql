-- What must hold before the commit: open, without an owner, the version one higher, no ownership left open.
-- Binds before, the rows as they were. Returns request, step, reason.
SELECT s.request, s.step,
       CASE WHEN s.state <> 'open' OR s.worker IS NOT NULL THEN 'the request is not open after the reclaim'
            WHEN s.version <> (b.image ->> 'version')::bigint + 1 THEN 'the version did not rise by one'
            ELSE 'an ownership is still open after the reclaim' END AS reason
  FROM unnest(%(request)s::text[], %(step)s::integer[], %(before)s::json[]) AS b (request, step, image)
  JOIN agent_step s ON s.request = b.request AND s.step = b.step
 WHERE s.state <> 'open' OR s.worker IS NOT NULL OR s.version <> (b.image ->> 'version')::bigint + 1
    OR EXISTS (SELECT FROM agent_ownership o WHERE o.request = s.request AND o.step = s.step AND o.ended_at IS NULL)
