-- Accept a request once. The same key with the same content is `repeated`, with other content a `conflict`.
-- Without an input the job is ready at once; with one it waits as materializing until confirm_input.
-- Binds request_key, kind, input_name, input_digest. Returns one row: job_id, state, answer.
WITH accepted AS (
  INSERT INTO aps.job AS job (request_key, kind, state, input_name, input_digest, ready_at)
  VALUES (%(request_key)s, %(kind)s,
          CASE WHEN %(input_name)s::text IS NULL THEN 'ready' ELSE 'materializing' END,
          %(input_name)s::text, %(input_digest)s::text,
          CASE WHEN %(input_name)s::text IS NULL THEN clock_timestamp() END)
  -- DO NOTHING would return no row for a request that another session is inserting right now; this one answers always.
  -- It sets no key column, else it would lock the row against the attempts and events that refer to it.
  ON CONFLICT (request_key) DO UPDATE SET updated_at = job.updated_at
  RETURNING job_id, state, kind, input_name, input_digest, (xmax = 0) AS fresh
), logged AS (
  INSERT INTO aps.event (job_id, kind) SELECT job_id, 'accepted' FROM accepted WHERE fresh
)
SELECT job_id, state,
       CASE WHEN fresh THEN 'accepted'
            WHEN kind = %(kind)s AND input_name IS NOT DISTINCT FROM %(input_name)s::text
                 AND input_digest IS NOT DISTINCT FROM %(input_digest)s::text THEN 'repeated'
            ELSE 'conflict' END AS answer
  FROM accepted
