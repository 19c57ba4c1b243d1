-- C13: a queue whose lease has no zone; its clients write UTC, and this lease lives for five minutes more.
CREATE TABLE naive (id bigint PRIMARY KEY, owner text, lease_until timestamp);
GRANT SELECT ON naive TO aps_read;
GRANT SELECT, UPDATE ON naive TO aps_operate;
INSERT INTO naive VALUES (1, 'w1', (pg_temp.at(5) AT TIME ZONE 'UTC')), (2, 'w1', (pg_temp.at(-5) AT TIME ZONE 'UTC'));
