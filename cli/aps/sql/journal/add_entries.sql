-- Record intents or outcomes of files; what another run of the same operation has recorded stands.
INSERT INTO aps_journal.entry (operation, batch, job, item, phase, outcome, detail, before, after)
SELECT %(operation)s::uuid, %(batch)s::uuid, e.job, e.item, %(phase)s, e.outcome, e.detail, e.before, e.after
  FROM unnest(%(jobs)s::text[], %(items)s::text[], %(outcomes)s::text[], %(details)s::text[],
              %(befores)s::json[], %(afters)s::json[]) AS e (job, item, outcome, detail, before, after)
    ON CONFLICT (operation, job, item, phase) DO NOTHING
