-- What an operation changed (phase applied), what it had begun when it ended (phase intent, without its outcome), and
-- what its committed batches left alone (phase left), unless a later batch changed it.
-- Returns job, item, phase, outcome, detail, before, after.
SELECT e.job, e.item, e.phase, e.outcome, e.detail, e.before, e.after
  FROM aps_journal.entry e
 WHERE e.operation = %(operation)s::uuid
   AND (e.phase = 'applied'
        OR NOT EXISTS (SELECT FROM aps_journal.entry o
                        WHERE (o.operation, o.job, o.item) = (e.operation, e.job, e.item) AND o.phase = 'applied'))
UNION ALL
SELECT * FROM (
  SELECT DISTINCT ON (l.key) l.value ->> 2, l.value ->> 3, 'left', l.value ->> 0, l.value ->> 1, NULL::json, NULL::json
    FROM aps_journal.batch b CROSS JOIN LATERAL json_each(b.left_alone) l
   WHERE b.operation = %(operation)s::uuid
     AND NOT EXISTS (SELECT FROM aps_journal.entry e
                      WHERE e.operation = b.operation AND e.job = l.value ->> 2 AND e.item = l.value ->> 3)
   ORDER BY l.key, b.at DESC) AS left_alone
 ORDER BY job, item, phase
