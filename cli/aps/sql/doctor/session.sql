-- The server's own process behind this session, and the name that reached it. Returns pid, application.
SELECT pg_backend_pid() AS pid, current_setting('application_name') AS application, %(aps)s::text AS asked_by
