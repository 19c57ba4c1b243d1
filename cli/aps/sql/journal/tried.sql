-- What became of these jobs in this operation so far. Returns job, item, outcome, detail.
SELECT job, item, outcome, detail FROM aps_journal.entry
 WHERE operation = %(operation)s::uuid AND phase = 'applied' AND job = ANY (%(jobs)s::text[])
