-- C17: running with a lease that is over, as a standby may still show it.
SELECT pg_temp.running(117, 'w1', 3, -1, -5);
