-- The server's own settings that are not as built, and those that a claim about crashes, waits and times depends on:
-- name, setting. What belongs to the session that asks is left out.
SELECT name, current_setting(name) AS setting
FROM pg_settings
WHERE (setting IS DISTINCT FROM boot_val
       AND source IN ('configuration file', 'command line', 'environment variable', 'global'))
   OR name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'deadlock_timeout',
               'default_transaction_isolation', 'TimeZone')
ORDER BY name
