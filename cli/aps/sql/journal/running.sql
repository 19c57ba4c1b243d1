-- Sessions of aps that work on the operations whose id starts so, right now. Returns pid, application, state, seconds.
SELECT pid, application_name AS application, state,
       extract(epoch FROM clock_timestamp() - xact_start)::double precision AS seconds
  FROM pg_stat_activity
 WHERE application_name LIKE 'aps/%%' AND position(left(%(prefix)s::text, 8) IN application_name) > 0
   AND pid <> pg_backend_pid()
