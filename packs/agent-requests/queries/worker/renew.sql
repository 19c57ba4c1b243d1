-- Prolong the ownership, up to the cap of the table. Binds request, step, worker, version, lease (interval).
-- Returns request, step, state, worker, version, expires_at, answer (renewed, rejected); no row for an unknown request.
-- Rejected: stop, and write nothing anywhere; the request is no longer yours.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, result, result_version
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock,
         state = 'owned' AND worker = %(worker)s AND version = %(version)s AND clock_timestamp() < expires_at AS ours
    FROM held
), renewed AS (
  UPDATE agent_step s SET renewed_at = h.clock, expires_at = h.clock + %(lease)s::interval
    FROM judged h WHERE s.request = h.request AND s.step = h.step AND h.ours
  RETURNING s.request, s.step, s.expires_at
), answered AS (
  SELECT h.request, h.step, h.state, h.worker, h.version, coalesce(r.expires_at, h.expires_at) AS expires_at,
         CASE WHEN r.request IS NULL THEN 'rejected' ELSE 'renewed' END AS answer
    FROM judged h LEFT JOIN renewed r USING (request, step)
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, 'rejected', %(version)s, %(worker)s, 'renewal' FROM answered WHERE answer = 'rejected'
)
SELECT request, step, state, worker, version, expires_at, answer FROM answered
