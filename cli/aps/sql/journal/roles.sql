-- The roles that look and act, where they are missing and this role may make roles; else somebody else makes them.
-- Roles belong to the whole server. `aps init` makes them too, with that of the workers.
DO $$
BEGIN
  IF NOT (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
    RETURN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN CREATE ROLE aps_read NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN CREATE ROLE aps_operate NOLOGIN; END IF;
  -- Without it the holder of a lock is named, but not whether it idles and since when.
  IF pg_has_role(current_user, 'pg_read_all_stats', 'MEMBER WITH ADMIN OPTION') OR
     (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    GRANT pg_read_all_stats TO aps_read, aps_operate;
  END IF;
END $$
