-- C07: running for more than three hours, under a live lease.
SELECT pg_temp.running(107, 'w5', 1, 4, -190);
