-- The logins of the demo: members of the roles of aps, and one for workers and callers.
CREATE ROLE oncall LOGIN IN ROLE aps_operate;
CREATE ROLE reader LOGIN IN ROLE aps_read;
CREATE ROLE worker LOGIN;
GRANT USAGE ON SCHEMA aps TO worker;
GRANT SELECT, INSERT, UPDATE ON aps.job, aps.attempt TO worker;
GRANT INSERT ON aps.event TO worker;
