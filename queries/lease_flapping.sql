-- Unfinished jobs of which many ownerships were lost in a short time while none failed in words: each takeover may have met
-- a living worker. Returns job_id, since, lost, workers, refused_later (lost ownerships whose worker wrote again: it lived).
SELECT j.job_id, a.since, a.lost, a.workers, a.refused_later
  FROM aps.job j
 CROSS JOIN LATERAL (
       SELECT min(a.ended_at) FILTER (WHERE a.ended_as IN ('abandoned', 'superseded')) AS since,
              count(*) FILTER (WHERE a.ended_as IN ('abandoned', 'superseded')) AS lost,
              count(DISTINCT a.worker) FILTER (WHERE a.ended_as IN ('abandoned', 'superseded')) AS workers,
              count(*) FILTER (WHERE a.ended_as IN ('abandoned', 'superseded') AND EXISTS (
                SELECT FROM aps.event e WHERE e.job_id = a.job_id AND e.kind = 'rejected'
                   AND e.epoch = a.epoch AND e.worker = a.worker)) AS refused_later,
              count(*) FILTER (WHERE a.ended_as = 'failed') AS failed
         FROM aps.attempt a
        WHERE a.job_id = j.job_id AND a.ended_at > %(clock)s - %(flapping_window)s) a
 WHERE j.state IN ('ready', 'running') AND a.lost >= %(flapping_limit)s AND a.failed = 0
