-- The roles of aps. `aps_read` looks; `aps_operate` also acts, column by column; `aps_work` is for workers and callers
-- and has what queries/worker/*.sql need. None can delete anything.
-- Idempotent; roles belong to the whole server, so they may exist already. Give people LOGIN roles that are members.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN CREATE ROLE aps_read NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN CREATE ROLE aps_operate NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_work') THEN CREATE ROLE aps_work NOLOGIN; END IF;
  -- Without it the holder of a lock is named, but not whether it idles and since when.
  IF pg_has_role(current_user, 'pg_read_all_stats', 'MEMBER WITH ADMIN OPTION') OR
     (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    GRANT pg_read_all_stats TO aps_read, aps_operate;
  END IF;
END $$;

GRANT USAGE ON SCHEMA aps TO aps_read, aps_operate, aps_work;
GRANT SELECT ON ALL TABLES IN SCHEMA aps TO aps_read, aps_operate, aps_work;

GRANT UPDATE (state, worker, epoch, lease_until, candidate, reason, withdrawn_at, ready_at, updated_at, finished_at)
  ON aps.job TO aps_operate;
GRANT UPDATE (ended_at, ended_as) ON aps.attempt TO aps_operate;
GRANT INSERT (job_id, kind, epoch, worker, detail) ON aps.event TO aps_operate;

GRANT INSERT (request_key, kind, state, input_name, input_digest, ready_at) ON aps.job TO aps_work;
GRANT UPDATE (state, worker, epoch, lease_until, candidate, published_name, published_digest, published_epoch, published_at,
              reason, ready_at, started_at, updated_at, finished_at)
  ON aps.job TO aps_work;
GRANT INSERT (job_id, epoch, worker, candidate, ended_at, ended_as), UPDATE (ended_at, ended_as) ON aps.attempt TO aps_work;
GRANT INSERT (job_id, kind, epoch, worker, detail) ON aps.event TO aps_work;
