-- C10: fifty-three workers were lost to it in the last day, and no failure was ever recorded.
SELECT pg_temp.running(110, 'w8', 54, -6, -20, -6);
SELECT pg_temp.attempt(110, n, 'w' || n % 7, -20 * (55 - n), -20 * (54 - n) - 6, 'abandoned') FROM generate_series(1, 53) AS n;
