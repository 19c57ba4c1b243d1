-- How many rows of the table this transaction has updated or deleted so far, partitions included. Returns changes.
SELECT sum(pg_stat_get_xact_tuples_updated(relid) + pg_stat_get_xact_tuples_deleted(relid)) AS changes
  FROM (SELECT %(table)s::text::regclass AS relid
         UNION SELECT relid FROM pg_partition_tree(%(table)s::text::regclass)) AS relations
