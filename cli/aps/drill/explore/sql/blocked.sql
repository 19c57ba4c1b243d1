-- Which of these sessions wait for a lock that another one holds. Returns pid.
SELECT pid FROM unnest(%(pids)s::integer[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0
