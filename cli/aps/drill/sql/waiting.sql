-- The sessions of that name that wait for that event. Returns pid.
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = %(application)s AND wait_event = %(event)s
