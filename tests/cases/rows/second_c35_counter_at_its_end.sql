-- C35: the epoch at the top of bigint: overdue, overdue as often as the limit, and ready. Around them jobs as any other, and
-- one below the top.
SELECT pg_temp.running(135, 'w1', 9223372036854775807, -3);
SELECT pg_temp.running(1351, 'w1', 9223372036854775806, -3);
SELECT pg_temp.running(1352, 'w1', 9223372036854775807, -3);
SELECT pg_temp.attempt(1352, 9223372036854775807 - n, 'w1', -60, -30, 'abandoned') FROM generate_series(1, 2) AS n;
SELECT pg_temp.ready(1353, 9223372036854775807, -60);
SELECT pg_temp.ready(1354, 0, -50);
SELECT pg_temp.running(1355, 'w1', 9223372036854775807, 5);
