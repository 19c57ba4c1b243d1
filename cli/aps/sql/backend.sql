-- Whether a session is there, which any role may see. Returns there.
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %(pid)s::integer) AS there
