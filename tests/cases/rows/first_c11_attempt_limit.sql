-- C11: a queue of its own that counts attempts up to a limit; NULL is no limit. The reference queue has no such column.
CREATE TABLE task (id bigint PRIMARY KEY, state text NOT NULL, attempts integer NOT NULL, max_attempts integer,
                   lease_until timestamptz, CONSTRAINT attempts_within_limit CHECK (attempts <= max_attempts));
GRANT SELECT ON task TO aps_read;
GRANT SELECT, UPDATE ON task TO aps_operate;
INSERT INTO task VALUES (111, 'running', 5, 5, pg_temp.at(-6)), (1111, 'running', 4, 5, pg_temp.at(-6)),
                        (1112, 'running', 5, NULL, pg_temp.at(-6)), (1113, 'running', 0, 0, pg_temp.at(-6));
