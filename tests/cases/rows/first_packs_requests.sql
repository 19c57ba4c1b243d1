-- C09 and C10 on agent requests: one renewed for seven hours, one that five owners vanished from, the one in hand counted.
INSERT INTO agent_case (request, scope) VALUES ('r-9', 'step'), ('r-10', 'step');
INSERT INTO agent_step (request, step, state, task, worker, version, renewed_at, expires_at, opened_at, updated_at)
VALUES ('r-9', 1, 'owned', 'long', 'w7', 1, pg_temp.at(-1), pg_temp.at(3), pg_temp.at(-420), pg_temp.at(-419)),
       ('r-10', 1, 'owned', 'poison', 'w8', 5, pg_temp.at(-20), pg_temp.at(-6), pg_temp.at(-400), pg_temp.at(-20));
INSERT INTO agent_ownership (request, step, version, worker, acquired_at, ended_at, ended_as)
SELECT 'r-10', 1, n, 'w' || n, pg_temp.at(-400 + n), pg_temp.at(-200 + n), 'vanished' FROM generate_series(1, 4) AS n;
INSERT INTO agent_ownership (request, step, version, worker, acquired_at)
VALUES ('r-9', 1, 1, 'w7', pg_temp.at(-419)), ('r-10', 1, 5, 'w8', pg_temp.at(-20));
