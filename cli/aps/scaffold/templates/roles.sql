-- What the roles of aps need on this table, where they exist (`aps init --journal` makes them). Idempotent. It is not
-- sent by aps: run it yourself, as the owner of the table and its schema.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN
{read_usage}    GRANT SELECT ON {table} TO aps_read;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN
{operate_usage}    GRANT SELECT{update} ON {table} TO aps_operate;
  END IF;
END $$;
