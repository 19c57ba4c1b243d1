-- C03: attempt 1 timed out, attempt 2 took over and holds a live lease.
SELECT pg_temp.running(103, 'w2', 2, 8, -2);
SELECT pg_temp.attempt(103, 1, 'w1', -30, -2, 'superseded');
