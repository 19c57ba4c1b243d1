-- Take one request: a single decision. It is had where it is open, or where its owner's time ran out and no write to
-- another system is unsettled. The version rises by one; send it with everything that is done elsewhere.
-- Binds request, step, worker, lease (interval). Returns request, step, state, worker, version, expires_at, task, answer
-- (acquired, recovered, refused: the row then shows who has it); no row for an unknown request.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, task
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock FROM held
), acquired AS (
  UPDATE agent_step s
     SET state = 'owned', worker = %(worker)s, version = s.version + 1, renewed_at = h.clock,
         expires_at = h.clock + %(lease)s::interval, updated_at = h.clock
    FROM judged h
   WHERE s.request = h.request AND s.step = h.step
     AND h.version < 9223372036854775807  -- where it cannot rise, nobody has the request: refused, not an error
     AND (h.state = 'open' OR (h.state = 'owned' AND h.expires_at <= h.clock AND h.external_operation IS NULL))
  RETURNING s.request, s.step, s.state, s.worker, s.version, s.expires_at
), answered AS (
  SELECT h.request, h.step, coalesce(a.state, h.state) AS state, coalesce(a.worker, h.worker) AS worker,
         coalesce(a.version, h.version) AS version, coalesce(a.expires_at, h.expires_at) AS expires_at, h.task,
         CASE WHEN a.request IS NULL THEN 'refused' WHEN h.state = 'owned' THEN 'recovered' ELSE 'acquired' END AS answer,
         h.worker AS before, h.version AS version_before, h.clock
    FROM judged h LEFT JOIN acquired a USING (request, step)
), closed AS (
  -- The ownership of an acquisition in flight is outside this statement's snapshot: an UPDATE would miss it for ever.
  INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)
  SELECT request, step, version_before, before, clock, 'vanished' FROM answered WHERE answer = 'recovered'
  ON CONFLICT (request, step, version) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), opened AS (
  INSERT INTO agent_ownership (request, step, version, worker)
  SELECT request, step, version, worker FROM answered WHERE answer <> 'refused'
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker)
  SELECT request, step, answer, version, worker FROM answered WHERE answer <> 'refused'
)
SELECT request, step, state, worker, version, expires_at, task, answer FROM answered
