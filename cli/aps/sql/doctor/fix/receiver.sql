-- Whether the standby receives, and when it last heard of its primary.
SELECT status, last_msg_receipt_time FROM pg_stat_wal_receiver;
