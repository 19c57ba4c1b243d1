-- What must hold before the commit: ready, without an owner, the epoch one higher, and no attempt left open.
-- Binds before, the rows as they were. Returns job_id, reason.
SELECT j.job_id, CASE WHEN j.state <> 'ready' OR j.worker IS NOT NULL THEN 'the job is not ready after the reclaim'
                      WHEN j.epoch <> (b.image ->> 'epoch')::bigint + 1 THEN 'the epoch did not rise by one'
                      ELSE 'an attempt is still open after the reclaim' END AS reason
  FROM unnest(%(job_id)s::bigint[], %(before)s::json[]) AS b (job_id, image)
  JOIN aps.job j USING (job_id)
 WHERE j.state <> 'ready' OR j.worker IS NOT NULL OR j.epoch <> (b.image ->> 'epoch')::bigint + 1
    OR EXISTS (SELECT FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_at IS NULL)
