-- C08: nine epochs in twelve minutes, no failure recorded, three workers by turns; the lease is over once more.
SELECT pg_temp.running(108, 'w6', 9, -1, -2);
SELECT pg_temp.attempt(108, n, 'w' || n % 3, -12 + n, -11 + n, 'superseded') FROM generate_series(1, 8) AS n;
-- The fence refused what two of the displaced workers wrote later: they lived.
INSERT INTO aps.event (job_id, kind, epoch, worker, detail)
VALUES (108, 'rejected', 7, 'w1', 'heartbeat'), (108, 'rejected', 8, 'w2', 'publication');
