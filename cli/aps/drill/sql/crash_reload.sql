-- The settings are read again by every process of the server, a moment later. Returns sent.
SELECT pg_reload_conf() AS sent
