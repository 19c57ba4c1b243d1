-- Whether somebody paused the replay, or what it waits for.
SELECT pg_get_wal_replay_pause_state();
SELECT pid, wait_event FROM pg_stat_activity WHERE backend_type = 'startup';
