-- What must hold between any two steps, whatever came before. Returns invariant, job_id, detail: a row a violation; and one
-- row without a job, `standing`, whose detail is all that the lifecycle states depend on.
WITH latest AS (
  SELECT job_id, max(epoch) AS epoch FROM aps.attempt GROUP BY job_id
)
SELECT 'authority rises, one step at a time' AS invariant, c.job_id,
       format('epoch %%s became %%s', (c.before).epoch, (c.after).epoch) AS detail
  FROM drill.change c WHERE (c.after).epoch - (c.before).epoch NOT IN (0, 1)
UNION ALL
SELECT 'every rise of the epoch is told', c.job_id, format('epoch %%s has no event', (c.after).epoch)
  FROM drill.change c
 WHERE (c.after).epoch > (c.before).epoch
   AND NOT EXISTS (SELECT FROM aps.event e WHERE e.job_id = c.job_id AND e.epoch = (c.after).epoch
                      AND e.kind IN ('claimed', 'adopted', 'reclaimed'))
UNION ALL
SELECT 'a new owner has a new epoch', c.job_id, format('%%s became %%s under epoch %%s', (c.before).worker, (c.after).worker, (c.after).epoch)
  FROM drill.change c
 WHERE (c.after).epoch = (c.before).epoch AND (c.after).worker IS NOT NULL AND (c.after).worker <> (c.before).worker
UNION ALL
SELECT 'only a lease that is over passes on', a.job_id, format('epoch %%s of %%s was %%s', a.epoch, a.worker, a.ended_as)
  FROM aps.attempt a
 WHERE a.ended_as IN ('superseded', 'abandoned')
   AND NOT EXISTS (SELECT FROM drill.over o WHERE (o.job_id, o.epoch) = (a.job_id, a.epoch))
UNION ALL
SELECT 'a lease that is over writes nothing', e.job_id, format('%%s %%s under epoch %%s', e.worker, e.kind, e.epoch)
  FROM aps.event e JOIN drill.over o ON (o.job_id, o.epoch) = (e.job_id, e.epoch)
 WHERE e.event_id > o.event_id AND e.kind IN ('published', 'progressed', 'released', 'failed')
UNION ALL
SELECT 'a lease that is over is not prolonged', c.job_id, format('epoch %%s until %%s', (c.after).epoch, (c.after).lease_until)
  FROM drill.change c JOIN drill.over o ON o.job_id = c.job_id AND o.epoch = (c.after).epoch
 WHERE c.change_id > o.change_id AND (c.after).lease_until > (c.before).lease_until
UNION ALL
SELECT 'only the owner of an epoch writes under it', e.job_id, format('%%s %%s under epoch %%s', e.worker, e.kind, e.epoch)
  FROM aps.event e LEFT JOIN aps.attempt a ON (a.job_id, a.epoch) = (e.job_id, e.epoch)
 WHERE e.kind IN ('published', 'progressed', 'released', 'failed') AND a.worker IS DISTINCT FROM e.worker
UNION ALL
SELECT 'an epoch publishes once', e.job_id, format('epoch %%s: %%s times', e.epoch, count(*))
  FROM aps.event e WHERE e.kind = 'published' GROUP BY e.job_id, e.epoch HAVING count(*) > 1
UNION ALL
SELECT 'complete means published', j.job_id, j.state
  FROM aps.job j
 WHERE (j.state = 'complete') <> EXISTS (SELECT FROM aps.event e WHERE (e.job_id, e.kind) = (j.job_id, 'published'))
UNION ALL
SELECT 'no result of an old epoch is valid', v.job_id, format('epoch %%s, %%s', v.epoch, v.name)
  FROM aps.valid_result v
  JOIN aps.job j USING (job_id)
  LEFT JOIN aps.attempt a ON (a.job_id, a.epoch) = (v.job_id, v.epoch)
 WHERE v.epoch <> j.epoch OR v.epoch <> (SELECT l.epoch FROM latest l WHERE l.job_id = v.job_id)
    OR v.name IS DISTINCT FROM a.candidate
    OR v.digest IS DISTINCT FROM 'sha256:' || encode(sha256(a.worker::bytea), 'hex')
UNION ALL
SELECT 'an attempt is open where its job runs, and nowhere else', a.job_id, format('epoch %%s, job %%s at %%s', a.epoch, j.state, j.epoch)
  FROM aps.attempt a JOIN aps.job j USING (job_id)
 WHERE (a.ended_at IS NULL) <> (j.state = 'running' AND a.epoch = j.epoch)
UNION ALL
SELECT 'an attempt is open where its job runs, and nowhere else', j.job_id, format('running at %%s without one', j.epoch)
  FROM aps.job j
 WHERE j.state = 'running' AND NOT EXISTS (SELECT FROM aps.attempt a WHERE (a.job_id, a.epoch) = (j.job_id, j.epoch))
UNION ALL
SELECT 'what is cancelled stays so, at the epoch that was named', c.job_id, format('epoch %%s', (c.after).epoch)
  FROM drill.change c
 WHERE (c.after).state = 'cancelled' AND (c.before).state <> 'cancelled'
   AND NOT EXISTS (SELECT FROM aps.event e
                    WHERE (e.job_id, e.kind, e.epoch) = (c.job_id, 'cancelled', (c.after).epoch))
UNION ALL
SELECT 'what is finished stays so', c.job_id, format('%%s became %%s', (c.before).state, (c.after).state)
  FROM drill.change c
 WHERE (c.before).finished_at IS NOT NULL
   AND ((c.after).state, (c.after).finished_at, (c.after).reason, (c.after).lease_until)
       IS DISTINCT FROM ((c.before).state, (c.before).finished_at, (c.before).reason, (c.before).lease_until)
UNION ALL
SELECT 'an input is confirmed once, by its digest', c.job_id, (c.after).input_digest
  FROM drill.change c
 WHERE (c.before).state = 'materializing' AND (c.after).state NOT IN ('materializing', 'cancelled')
   AND c.application NOT LIKE 'operator/%%'
   AND NOT EXISTS (SELECT FROM aps.event e
                    WHERE (e.job_id, e.kind, e.detail) = (c.job_id, 'confirmed', 'input ' || (c.after).input_digest))
UNION ALL
SELECT 'an input is confirmed once, by its digest', e.job_id, format('%%s times', count(*))
  FROM aps.event e WHERE e.kind = 'confirmed' GROUP BY e.job_id HAVING count(*) > 1
UNION ALL
-- `repeated` is the word that the same was done before: whoever hears it goes on as if it had done it.
SELECT 'what is told as repeated was done', e.job_id, format('epoch %%s, %%s', e.epoch, e.detail)
  FROM aps.event e JOIN aps.job j USING (job_id)
 WHERE e.kind = 'repeated'
   AND NOT EXISTS (SELECT FROM aps.event d
                    WHERE d.job_id = e.job_id
                      AND (d.kind IN ('published', 'cancelled') AND (d.epoch, d.detail) = (e.epoch, e.detail)
                           -- An operator may have confirmed it, in other words.
                           OR d.kind = 'confirmed' AND e.detail = 'input ' || j.input_digest))
UNION ALL
SELECT 'a ready job is claimed or cancelled, nothing else', c.job_id, format('%%s: %%s', c.application, (c.after).state)
  FROM drill.change c
 WHERE (c.before).state = 'ready' AND (c.after).state NOT IN ('running', 'cancelled')
UNION ALL
SELECT 'a reclaim spends the epoch', c.job_id, format('still %%s', (c.after).epoch)
  FROM drill.change c
 WHERE c.application LIKE 'operator/%%' AND (c.before).state = 'running' AND (c.after).epoch = (c.before).epoch
UNION ALL
-- Every change that an operator's transaction made stands in the journal, as it was and is; and nothing else does.
SELECT 'the journal equals the changes', c.job_id, format('not journaled: %%s', made.columns)
  FROM drill.change c
 CROSS JOIN LATERAL (SELECT json_object_agg(n.key, n.value)::jsonb AS columns
                       FROM jsonb_each_text(to_jsonb(c.after)) AS n
                      WHERE n.value IS DISTINCT FROM to_jsonb(c.before) ->> n.key) AS made
 WHERE c.application LIKE 'operator/%%'
   AND NOT EXISTS (SELECT FROM aps_journal.batch b JOIN aps_journal.entry e USING (batch)
                    WHERE b.transaction_id = c.transaction AND e.job = c.job_id::text AND e.phase = 'applied'
                      AND e.outcome = 'applied' AND e.after::jsonb = made.columns)
UNION ALL
SELECT 'the journal equals the changes', e.job::bigint, format('journaled, not done: %%s', e.after)
  FROM aps_journal.batch b JOIN aps_journal.entry e USING (batch)
 WHERE e.phase = 'applied' AND e.outcome = 'applied' AND e.item = ''
   AND NOT EXISTS (SELECT FROM drill.change c WHERE c.transaction = b.transaction_id AND c.job_id::text = e.job)
UNION ALL
SELECT 'standing', NULL,
       coalesce(string_agg(concat_ws(',', j.job_id, j.state, j.worker, j.epoch, j.lease_until <= clock_timestamp(),
                                     j.withdrawn_at IS NULL, a.attempts), ';' ORDER BY j.job_id), '')
  FROM aps.job j
  LEFT JOIN LATERAL (SELECT string_agg(concat_ws('.', t.epoch, t.ended_as), '/' ORDER BY t.epoch) AS attempts
                       FROM aps.attempt t WHERE t.job_id = j.job_id) AS a ON true
