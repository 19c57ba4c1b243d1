-- Intents without an outcome, of operations that were interrupted or are at work: oldest first.
-- Returns operation, command, state, job, item, before.
SELECT b.operation, b.command, b.state, e.job, e.item, e.before
  FROM aps_journal.entry e
  JOIN aps_journal.batch b USING (batch)
 WHERE e.phase = 'intent' AND b.system = %(system)s
   AND NOT EXISTS (SELECT FROM aps_journal.entry o
                    WHERE (o.operation, o.job, o.item) = (e.operation, e.job, e.item) AND o.phase = 'applied')
 ORDER BY b.at, e.job, e.item
