-- Which of these jobs this operation has changed already. Returns job, detail.
SELECT job, detail FROM aps_journal.entry
 WHERE operation = %(operation)s::uuid AND phase = 'applied' AND job = ANY (%(jobs)s::text[])
