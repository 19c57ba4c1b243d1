-- Count changes again: without it no action can be held to what it changed.
ALTER SYSTEM SET track_counts = on;
SELECT pg_reload_conf();
