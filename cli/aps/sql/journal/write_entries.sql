-- Record what changed, one row a job and item.
COPY aps_journal.entry (operation, batch, job, item, phase, outcome, detail, before, after) FROM STDIN
