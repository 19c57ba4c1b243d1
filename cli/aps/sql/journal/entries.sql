-- What an operation changed. Returns job, item, phase, outcome, detail, before, after.
SELECT job, item, phase, outcome, detail, before, after
  FROM aps_journal.entry WHERE operation = %(operation)s::uuid ORDER BY job, item, phase
