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
       -- Of a standby. Received is read before replayed, so that what comes meanwhile is never taken for a lag.
       CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) END AS lag_bytes,
       -- Streams, and was heard of lately: a cut network leaves the status as it was. NULL: the role may not see it.
       (SELECT CASE WHEN count(*) = 0 THEN false
                    ELSE bool_and(status = 'streaming' AND last_msg_receipt_time > clock_timestamp() - interval '60 s') END
          FROM pg_stat_wal_receiver) AS streams,
       CASE WHEN pg_is_in_recovery() THEN
         extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision END AS replayed_seconds,
       %(aps)s::text AS probed_by
