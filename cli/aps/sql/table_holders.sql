-- Who holds a table of this database against readers, and which; what the role may not see is NULL.
-- Returns pid, application, role, state, seconds, relation.
SELECT l.pid, a.application_name AS application, a.usename AS role, a.state,
       extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, a.state_change))::double precision AS seconds,
       n.nspname || '.' || c.relname AS relation
  FROM pg_locks l
  JOIN pg_class c ON c.oid = l.relation
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND l.granted AND c.relkind IN ('r', 'p', 'm')
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND l.pid IS DISTINCT FROM pg_backend_pid() AND %(aps)s::text IS NOT NULL
 ORDER BY l.pid, relation
