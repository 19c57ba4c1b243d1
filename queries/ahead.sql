-- Files named as candidates of an epoch that their job has not reached: an older copy of this database was restored.
-- Returns job_id, item, epoch (that of the file), job_epoch.
SELECT j.job_id, o.name AS item, o.epoch, j.epoch AS job_epoch
  FROM (SELECT name, error, substring(name FROM '^([0-9]{1,18})/')::bigint AS job_id,
               substring(name FROM '^[0-9]{1,18}/([0-9]{1,18})-[0-9a-f]{12}$')::bigint AS epoch
          FROM unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                      %(observed_digests)s::text[], %(observed_errors)s::text[]) AS seen (name, size, digest, error)) AS o
  JOIN aps.job j ON j.job_id = o.job_id
 WHERE o.error IS NULL AND o.epoch > j.epoch
