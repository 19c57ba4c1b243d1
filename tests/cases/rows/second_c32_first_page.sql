-- C32: the first page has nothing to do: 100 jobs under a live lease have the lower numbers, 3 behind them ran out. Before
-- those, 100 ran out longer ago that may not be acted upon: their epoch cannot rise.
SELECT pg_temp.running(3200 + n, 'w-long', 1, 12) FROM generate_series(1, 100) AS n;
SELECT pg_temp.running(3300 + n, 'w-long', 1, -30 - n) FROM generate_series(1, 3) AS n;
SELECT pg_temp.running(3400 + n, 'w-top', 9223372036854775807, -60) FROM generate_series(1, 100) AS n;
