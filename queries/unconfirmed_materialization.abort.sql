-- What must hold before the commit: ready, without an owner, and nothing but that changed.
-- Binds before, the rows as they were. Returns job_id, reason.
SELECT j.job_id, CASE WHEN j.state <> 'ready' OR j.worker IS NOT NULL THEN 'the job is not ready after the confirmation'
                      ELSE 'its epoch or its input changed' END AS reason
  FROM unnest(%(job_id)s::bigint[], %(before)s::json[]) AS b (job_id, image)
  JOIN aps.job j USING (job_id)
 WHERE j.state <> 'ready' OR j.worker IS NOT NULL OR j.epoch <> (b.image ->> 'epoch')::bigint
    OR (j.input_name, j.input_digest) IS DISTINCT FROM (b.image ->> 'input_name', b.image ->> 'input_digest')
