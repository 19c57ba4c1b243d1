-- C04: a restarted pod keeps its name; the job of its dead run, and a live one of its new run.
SELECT pg_temp.running(104, 'pod-0', 7, -30, -90, -31), pg_temp.running(1041, 'pod-0', 8, 9, -1);
