-- C09: the lease is renewed, no progress for seven hours.
SELECT pg_temp.running(109, 'w7', 2, 3, -420, -419);
