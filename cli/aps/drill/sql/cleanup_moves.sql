-- Every move of a file that was intended, with what became of it; no outcome: that is not recorded.
-- Returns operation, command, job, item, outcome.
SELECT i.operation, b.command, i.job, i.item, o.outcome
  FROM aps_journal.entry i JOIN aps_journal.batch b USING (batch)
  LEFT JOIN aps_journal.entry o ON (o.operation, o.job, o.item, o.phase) = (i.operation, i.job, i.item, 'applied')
 WHERE i.phase = 'intent'
 ORDER BY i.operation, i.item
