-- What does not fit together in jobs, attempts, events and journal: half of something was done, or something twice.
-- Returns job_id, fault.
WITH counted AS (
  SELECT j.*,
         (SELECT count(*) FROM aps.attempt a WHERE a.job_id = j.job_id) AS owned,
         (SELECT count(*) FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_at IS NULL) AS open,
         (SELECT count(*) FROM aps.attempt a
           WHERE a.job_id = j.job_id AND a.ended_at IS NULL
             AND (a.epoch, a.worker, a.candidate) = (j.epoch, j.worker, j.candidate)) AS own,
         (SELECT count(*) FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_as = 'published') AS published,
         (SELECT count(*) FROM aps.attempt a
            JOIN aps.event e ON (e.job_id, e.epoch, e.worker, e.kind) = (a.job_id, a.epoch, a.worker, 'published')
           WHERE (a.job_id, a.epoch, a.candidate) = (j.job_id, j.published_epoch, j.published_name)) AS told,
         (SELECT count(*) FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_as = 'abandoned') AS abandoned
    FROM aps.job j
), events AS (
  SELECT job_id, count(*) FILTER (WHERE kind IN ('claimed', 'adopted')) AS taken,
         count(*) FILTER (WHERE kind = 'published') AS published,
         count(*) FILTER (WHERE kind = 'reclaimed') AS reclaimed
    FROM aps.event GROUP BY job_id
), journal AS (
  SELECT job, count(*) AS entries FROM aps_journal.entry WHERE phase = 'applied' AND outcome = 'applied' GROUP BY job
), judged AS (
  SELECT c.job_id, f.fault
    FROM counted c LEFT JOIN events e USING (job_id) LEFT JOIN journal l ON l.job = c.job_id::text
   CROSS JOIN LATERAL (VALUES
     (c.open <> c.own OR c.own <> (c.state = 'running')::int, 'the row and its open attempt do not agree'),
     (c.published <> (c.state = 'complete')::int OR c.told <> c.published OR coalesce(e.published, 0) <> c.published,
      'the publication is not that of one attempt, told once, by its worker'),
     (coalesce(e.taken, 0) <> c.owned, 'an ownership without its event, or an event without its ownership'),
     (coalesce(e.reclaimed, 0) <> c.abandoned OR coalesce(l.entries, 0) <> c.abandoned,
      'what was reclaimed and what the journal says do not agree'),
     (c.epoch <> c.owned + c.abandoned, 'an epoch was spent on nothing, or used twice')
   ) AS f (found, fault)
   WHERE f.found
)
SELECT job_id, fault FROM judged
UNION ALL
SELECT NULL, 'a batch of the journal has other entries than it counts'
  FROM aps_journal.batch b
 WHERE b.applied <> (SELECT count(*) FROM aps_journal.entry e WHERE e.batch = b.batch AND e.phase = 'applied')
