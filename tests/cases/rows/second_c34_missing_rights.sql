-- C34: a role with SELECT on the jobs only. One of every kind that needs more than that to be told.
SELECT pg_temp.running(340, 'w1', 1, -30);
SELECT pg_temp.running(341, 'w1', 1, 5);
SELECT pg_temp.ready(342);
SELECT pg_temp.running(343, 'w1', 3, -30);
SELECT pg_temp.attempt(343, n, 'w1', -90, -60, 'abandoned') FROM generate_series(1, 2) AS n;
