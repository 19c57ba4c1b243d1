-- The logins of the demo, each a member of one role of aps.
CREATE ROLE oncall LOGIN IN ROLE aps_operate;
CREATE ROLE reader LOGIN IN ROLE aps_read;
CREATE ROLE worker LOGIN IN ROLE aps_work;
