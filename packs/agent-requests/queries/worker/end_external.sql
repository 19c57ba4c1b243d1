-- Record the outcome of the write to another system: `happened` true or false where that system said so; NULL where it is
-- not known, and then nobody goes on before its team has read its record.
-- Binds request, step, worker, version, operation, happened. Returns request, step, state, worker, version, answer (settled,
-- uncertain, rejected); no row for an unknown request.
WITH held AS MATERIALIZED (
  SELECT request, step, state, worker, version, expires_at, external_operation, result, result_version
    FROM agent_step WHERE request = %(request)s AND step = %(step)s FOR NO KEY UPDATE
), judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the time of the owner.
  SELECT *, clock_timestamp() AS clock,
         state = 'owned' AND worker = %(worker)s AND version = %(version)s AND clock_timestamp() < expires_at AS ours
    FROM held
), settled AS (
  UPDATE agent_step s
     SET state = CASE WHEN %(happened)s::boolean IS NULL THEN 'uncertain' ELSE s.state END,
         external_operation = CASE WHEN %(happened)s::boolean IS NULL THEN s.external_operation END,
         worker = CASE WHEN %(happened)s::boolean IS NOT NULL THEN s.worker END,
         renewed_at = CASE WHEN %(happened)s::boolean IS NOT NULL THEN s.renewed_at END,
         expires_at = CASE WHEN %(happened)s::boolean IS NOT NULL THEN s.expires_at END,
         updated_at = h.clock
    FROM judged h
   WHERE s.request = h.request AND s.step = h.step AND h.ours AND h.external_operation = %(operation)s
  RETURNING s.request, s.step, s.state
), closed AS (
  INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)
  SELECT h.request, h.step, h.version, h.worker, h.clock, 'uncertain'
    FROM judged h JOIN settled t USING (request, step) WHERE t.state = 'uncertain'
  ON CONFLICT (request, step, version) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
), answered AS (
  SELECT h.request, h.step, coalesce(t.state, h.state) AS state, h.worker, h.version,
         CASE WHEN t.request IS NULL THEN 'rejected' WHEN t.state = 'uncertain' THEN 'uncertain' ELSE 'settled' END AS answer
    FROM judged h LEFT JOIN settled t USING (request, step)
), logged AS (
  INSERT INTO agent_event (request, step, kind, version, worker, detail)
  SELECT request, step, answer, %(version)s, %(worker)s,
         %(operation)s::text || CASE %(happened)s::boolean WHEN true THEN ' happened' WHEN false THEN ' did not happen'
                                ELSE ' may have happened' END
    FROM answered
)
SELECT request, step, state, worker, version, answer FROM answered
