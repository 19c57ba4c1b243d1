-- Open requests again whose cause a person knows: the version rises by one, so that the worker before is refused; its
-- ownership is closed. Runs on locked rows that are still as planned; the fence is kept by aps. Returns request, step.
WITH freed AS (
  UPDATE agent_step s
     SET state = 'open', version = s.version + 1, worker = NULL, renewed_at = NULL, expires_at = NULL,
         opened_at = %(clock)s, updated_at = %(clock)s
    FROM unnest(%(request)s::text[], %(step)s::integer[]) AS k (request, step)
   WHERE s.request = k.request AND s.step = k.step
  RETURNING s.request, s.step, s.version
), closed AS (
  UPDATE agent_ownership o SET ended_at = %(clock)s, ended_as = 'vanished'
    FROM freed f WHERE o.request = f.request AND o.step = f.step AND o.version = f.version - 1
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, 'reclaimed', version, %(actor)s, %(operation)s::text || ': ' || %(reason)s::text FROM freed
)
SELECT request, step FROM freed
