-- The last operations on a job, newest first. Returns operation, at, command, state, role, reason, outcome, detail.
SELECT b.operation, b.at, b.command, b.state, b.role, b.reason, e.outcome, e.detail
  FROM aps_journal.entry e JOIN aps_journal.batch b USING (batch)
 WHERE e.job = %(job)s AND b.system = %(system)s ORDER BY b.at DESC LIMIT 10
