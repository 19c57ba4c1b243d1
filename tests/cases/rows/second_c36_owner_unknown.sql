-- C36: the owner is missing from the worker table, whose row was pruned first. The reference queue has no such table, so
-- one is made; w1 is in it and was seen just now, its job 1361 ran out all the same.
CREATE TABLE public.workers (id text PRIMARY KEY, last_heartbeat timestamptz);
INSERT INTO public.workers VALUES ('w1', now());
GRANT SELECT ON public.workers TO aps_read, aps_operate;
SELECT pg_temp.running(136, 'ghost-1', 2, -500, -520, -501);
SELECT pg_temp.running(1361, 'w1', 2, -500, -520, -501);
SELECT pg_temp.running(1362, 'ghost-2', 1, 5);
SELECT pg_temp.running(n, 'ghost-3', 1, -5) FROM generate_series(13601, 14600) AS n;
