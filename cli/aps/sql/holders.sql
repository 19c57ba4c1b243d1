-- Who holds the rows of given keys: pg_locks names a single holder by the row's xmax, also to a role with SELECT alone.
-- What the role may not see of that session is NULL. Returns ordinal, pid, application, role, state, seconds.
SELECT k.aps_ordinal AS ordinal, l.pid, a.application_name AS application, a.usename AS role, a.state,
       extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, a.state_change))::double precision AS seconds
  FROM {table} AS t
  JOIN unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal) ON {same_key}
  JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = t.xmax
                 AND l.pid IS DISTINCT FROM pg_backend_pid()
  LEFT JOIN pg_stat_activity a ON a.pid = l.pid
