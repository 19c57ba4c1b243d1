-- What an operation changed, with what it meant to do with a file. Returns job, item, before, after, intent.
SELECT e.job, e.item, e.before, e.after, i.before AS intent
  FROM aps_journal.entry e
  LEFT JOIN aps_journal.entry i ON (i.operation, i.job, i.item) = (e.operation, e.job, e.item) AND i.phase = 'intent'
 WHERE e.operation = %(operation)s::uuid AND e.phase = 'applied' AND e.outcome = 'applied'
 ORDER BY e.job, e.item
