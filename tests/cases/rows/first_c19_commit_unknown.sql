-- C19: to be reclaimed; the answer to the COMMIT is lost on the way.
SELECT pg_temp.running(119, 'w1', 7, -9, -30);
