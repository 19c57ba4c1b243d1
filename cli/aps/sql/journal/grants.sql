-- The roles of aps may read the journal and add to it, where they exist. Nobody is given UPDATE or DELETE.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN
    GRANT USAGE ON SCHEMA aps_journal TO aps_read;
    GRANT SELECT ON ALL TABLES IN SCHEMA aps_journal TO aps_read;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN
    GRANT USAGE ON SCHEMA aps_journal TO aps_operate;
    GRANT SELECT ON ALL TABLES IN SCHEMA aps_journal TO aps_operate;
    GRANT INSERT ON aps_journal.batch, aps_journal.entry TO aps_operate;
  END IF;
END $$
