-- What must hold before the commit: withdrawn, with the publication itself as it was.
-- Binds before, the rows as they were. Returns job_id, reason.
SELECT j.job_id, CASE WHEN j.withdrawn_at IS NULL THEN 'the publication is not withdrawn'
                      ELSE 'the published name, digest or epoch changed' END AS reason
  FROM unnest(%(job_id)s::bigint[], %(before)s::json[]) AS b (job_id, image)
  JOIN aps.job j USING (job_id)
 WHERE j.withdrawn_at IS NULL OR j.state <> 'complete'
    OR (j.published_name, j.published_digest, j.published_epoch::text, j.epoch::text)
       IS DISTINCT FROM (b.image ->> 'published_name', b.image ->> 'published_digest',
                         b.image ->> 'published_epoch', b.image ->> 'epoch')
