-- Every file name that was handed out. Returns candidate, current (its owner has the job now), valid (consumers read it),
-- intended (the journal has it that it was to be moved).
SELECT a.candidate, j.state = 'running' AND a.epoch = j.epoch AS current,
       EXISTS (SELECT FROM aps.valid_result v WHERE v.name = a.candidate) AS valid,
       EXISTS (SELECT FROM aps_journal.entry e WHERE e.item = a.candidate AND e.phase = 'intent') AS intended
  FROM aps.attempt a JOIN aps.job j USING (job_id)
