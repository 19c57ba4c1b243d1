-- Deliver the result of this version; the request is done. Not while a write to another system is unsettled.
-- Binds request, step, worker, version, result. Returns request, step, state, worker, version, result_version, answer
-- (completed, repeated: this version's same result stands already, rejected); no row for an unknown request.
-- A refused result is kept in the events, for a person to read; nobody advances by it.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, result, result_version
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock,
         state = 'owned' AND worker = %(worker)s AND version = %(version)s AND clock_timestamp() < expires_at AS ours
    FROM held
), completed AS (
  UPDATE agent_step s
     SET state = 'done', worker = NULL, renewed_at = NULL, expires_at = NULL, result = %(result)s,
         result_version = %(version)s, updated_at = h.clock, finished_at = h.clock
    FROM judged h WHERE s.request = h.request AND s.step = h.step AND h.ours AND h.external_operation IS NULL
  RETURNING s.request, s.step, s.state, s.result_version
), closed AS (
  INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)
  SELECT h.request, h.step, h.version, h.worker, h.clock, 'completed' FROM judged h JOIN completed USING (request, step)
  ON CONFLICT (request, step, version) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.request, h.step, coalesce(c.state, h.state) AS state, h.worker, h.version,
         coalesce(c.result_version, h.result_version) AS result_version,
         CASE WHEN c.request IS NOT NULL THEN 'completed'
              WHEN h.result_version = %(version)s AND h.result = %(result)s THEN 'repeated'
              ELSE 'rejected' END AS answer
    FROM judged h LEFT JOIN completed c USING (request, step)
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, answer, %(version)s, %(worker)s,
         CASE answer WHEN 'rejected' THEN 'result refused, version ' || version || ' stands: ' || %(result)s::text
                     ELSE 'result' END
    FROM answered
)
SELECT request, step, state, worker, version, result_version, answer FROM answered
