-- The session and the database, probed once. Returns one row.
SELECT current_database() AS name, current_user AS role,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
       current_setting('server_version') AS server_version, current_setting('server_version_num') AS version_number,
       pg_is_in_recovery() AS in_recovery, clock_timestamp() AS clock,
       (SELECT system_identifier FROM pg_control_system()) AS system_identifier,
       -- On a standby the timeline is the one it receives; unknown (empty) where it receives nothing.
       CASE WHEN pg_is_in_recovery() THEN (SELECT received_tli::text FROM pg_stat_wal_receiver)
            ELSE ltrim(left(pg_walfile_name(pg_current_wal_lsn()), 8), '0') END AS timeline,
       (SELECT oid FROM pg_database WHERE datname = current_database()) AS database_oid,
       %(aps)s::text AS probed_by
