-- Give the request back in good order: open again, under the same version until the next acquisition. Not while a write to
-- another system is unsettled. Binds request, step, worker, version. Returns request, step, state, worker, version, answer
-- (released, rejected); no row for an unknown request.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, result, result_version
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock,
         state = 'owned' AND worker = %(worker)s AND version = %(version)s AND clock_timestamp() < expires_at AS ours
    FROM held
), released AS (
  UPDATE agent_step s
     SET state = 'open', worker = NULL, renewed_at = NULL, expires_at = NULL, opened_at = h.clock, updated_at = h.clock
    FROM judged h WHERE s.request = h.request AND s.step = h.step AND h.ours AND h.external_operation IS NULL
  RETURNING s.request, s.step, s.state
), closed AS (
  INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)
  SELECT h.request, h.step, h.version, h.worker, h.clock, 'released' FROM judged h JOIN released USING (request, step)
  ON CONFLICT (request, step, version) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.request, h.step, coalesce(r.state, h.state) AS state, h.worker, h.version,
         CASE WHEN r.request IS NULL THEN 'rejected' ELSE 'released' END AS answer
    FROM judged h LEFT JOIN released r USING (request, step)
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, answer, %(version)s, %(worker)s, 'release' FROM answered
)
SELECT request, step, state, worker, version, answer FROM answered
