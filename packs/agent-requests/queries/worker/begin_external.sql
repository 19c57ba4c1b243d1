-- Say, before it is sent, that a write to another system begins. Send that key and this version with it: the other system
-- refuses what it has seen, and an older version, or diverts what it cannot check. One at a time.
-- Binds request, step, worker, version, operation. Returns request, step, state, worker, version, external_operation,
-- answer (began, rejected: send nothing); no row for an unknown request.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, result, result_version
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock,
         state = 'owned' AND worker = %(worker)s AND version = %(version)s AND clock_timestamp() < expires_at AS ours
    FROM held
), began AS (
  UPDATE agent_step s SET external_operation = %(operation)s, updated_at = h.clock
    FROM judged h WHERE s.request = h.request AND s.step = h.step AND h.ours AND h.external_operation IS NULL
  RETURNING s.request, s.step, s.external_operation
), answered AS (
  SELECT h.request, h.step, h.state, h.worker, h.version,
         coalesce(b.external_operation, h.external_operation) AS external_operation,
         CASE WHEN b.request IS NULL THEN 'rejected' ELSE 'began' END AS answer
    FROM judged h LEFT JOIN began b USING (request, step)
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, answer, %(version)s, %(worker)s, 'external write ' || %(operation)s::text FROM answered
)
SELECT request, step, state, worker, version, external_operation, answer FROM answered
