-- What the server's view of its sessions can add for one article: help, never proof. How many sessions have the workers'
-- application name or an open transaction that writes to the table, then each of them, with what it holds.
-- Returns session, state, since, holds; always a first row.
WITH seen AS (
  SELECT a.pid, coalesce(nullif(a.application_name, ''), 'without a name') AS application,
         coalesce(a.state, 'in a state that this role may not see') AS state,
         coalesce(a.xact_start, a.state_change) AS since,
         CASE WHEN l.this_row THEN 'holds this row'
              WHEN l.writes THEN 'has an open transaction that writes to the table'
              ELSE 'holds nothing of the table' END AS holds
    FROM pg_stat_activity a
   CROSS JOIN LATERAL (
     SELECT coalesce(bool_or(l.relation = 'article_claim_demo'::regclass
                             AND l.mode IN ('RowShareLock', 'RowExclusiveLock')), false) AS writes,
            coalesce(bool_or(EXISTS (SELECT FROM article_claim_demo t
                                      WHERE t.id = ANY (%(id)s::integer[]) AND t.xmax = l.transactionid)), false) AS this_row
       FROM pg_locks l WHERE l.pid = a.pid AND l.granted) AS l
   WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
     AND (l.writes OR a.application_name LIKE %(workers)s)
)
SELECT 'help only, no proof that a worker lives or is gone: ' || count(*) || ' called ' || %(workers)s || ' or writing here'
         AS session, NULL AS state, NULL::timestamptz AS since, NULL AS holds
  FROM seen
UNION ALL
(SELECT 'pid ' || pid || ' ' || application, state, since, holds FROM seen ORDER BY pid)
