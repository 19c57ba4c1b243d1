-- Accept a request, or one step of it, once. Step 0 is the whole case. The same key with the same task is `repeated`, with
-- another one, or with the other scope, a `conflict`. Binds request, step, task. Returns request, step, state, answer.
WITH its_case AS (
  INSERT INTO agent_case AS c (request, scope)
  VALUES (%(request)s, CASE %(step)s::integer WHEN 0 THEN 'case' ELSE 'step' END)
  -- DO NOTHING would return no row for a case that another session is inserting right now; this one answers always.
  ON CONFLICT (request) DO UPDATE SET created_at = c.created_at
  RETURNING c.request, c.scope
), accepted AS (
  INSERT INTO agent_step AS s (request, step, task)
  SELECT request, %(step)s::integer, %(task)s FROM its_case
   WHERE scope = CASE %(step)s::integer WHEN 0 THEN 'case' ELSE 'step' END
  ON CONFLICT (request, step) DO UPDATE SET updated_at = s.updated_at
  RETURNING s.request, s.step, s.state, s.task, (s.xmax = 0) AS fresh
), logged AS (
  INSERT INTO agent_event (request, step, kind) SELECT request, step, 'accepted' FROM accepted WHERE fresh
)
SELECT c.request, %(step)s::integer AS step, a.state,
       CASE WHEN a.fresh THEN 'accepted' WHEN a.task = %(task)s THEN 'repeated' ELSE 'conflict' END AS answer
  FROM its_case c LEFT JOIN accepted a USING (request)
