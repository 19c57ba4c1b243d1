-- The sessions of that name that the server has. Returns pid.
SELECT pid FROM pg_stat_activity WHERE application_name = %(application)s
