-- C02: the plan of the second person was made at epoch 4; here the lease is over.
SELECT pg_temp.running(102, 'w4', 4, -10, -25);
SELECT pg_temp.attempt(102, n, 'w' || n, -50 + n, -45 + n, 'released') FROM generate_series(1, 3) AS n;
