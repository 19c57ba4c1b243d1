-- What an operation changed, and what its committed batches left alone (phase left), unless a later batch changed it.
-- Returns job, item, phase, outcome, detail, before, after.
SELECT job, item, phase, outcome, detail, before, after
  FROM aps_journal.entry WHERE operation = %(operation)s::uuid
UNION ALL
SELECT * FROM (
  SELECT DISTINCT ON (l.key) l.key, '', 'left', l.value ->> 0, l.value ->> 1, NULL::json, NULL::json
    FROM aps_journal.batch b CROSS JOIN LATERAL json_each(b.left_alone) l
   WHERE b.operation = %(operation)s::uuid
     AND NOT EXISTS (SELECT FROM aps_journal.entry e WHERE e.operation = b.operation AND e.job = l.key)
   ORDER BY l.key, b.at DESC) AS left_alone
 ORDER BY job, item, phase
