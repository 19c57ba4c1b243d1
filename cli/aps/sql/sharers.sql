-- Who holds the rows of given keys together, or locked one and then changed it under a savepoint: the row's xmax is the
-- number of a group then. Only for rows that are known to be held: for others the number may be that of a group by chance.
-- Returns ordinal, pid, application, role, state, seconds.
SELECT DISTINCT ON (k.aps_ordinal, l.pid)
       k.aps_ordinal AS ordinal, l.pid, a.application_name AS application, a.usename AS role, a.state,
       extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, a.state_change))::double precision AS seconds
  FROM {table} AS t
  JOIN unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal) ON {same_key}
 CROSS JOIN LATERAL pg_get_multixact_members(t.xmax) AS m
  JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.transactionid = m.xid
                 AND l.pid IS DISTINCT FROM pg_backend_pid()
  LEFT JOIN pg_stat_activity a ON a.pid = l.pid
