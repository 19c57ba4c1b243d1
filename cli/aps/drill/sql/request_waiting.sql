-- How many sessions of this database wait for the end of another one's transaction. Returns waiting.
SELECT count(*) AS waiting FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event = 'transactionid'
