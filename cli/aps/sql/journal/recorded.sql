-- Did this batch commit? Returns recorded.
SELECT EXISTS (SELECT FROM aps_journal.batch WHERE batch = %(batch)s::uuid) AS recorded
