-- What the roles of aps need here, where they exist (`aps init --journal` makes them). Idempotent. None may delete anything.
-- Settling an external write is neither a worker's nor aps's: grant agent_settle to the team of the other system.
REVOKE EXECUTE ON FUNCTION agent_settle FROM PUBLIC;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN
    GRANT SELECT ON agent_version, agent_case, agent_step, agent_ownership, agent_event, agent_overdue_ownership,
                    agent_recoveries, agent_rejected_result, agent_repeatedly_vanished TO aps_read;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN
    GRANT SELECT ON agent_version, agent_case, agent_step, agent_ownership, agent_event TO aps_operate;
    GRANT UPDATE (state, worker, version, renewed_at, expires_at, opened_at, updated_at) ON agent_step TO aps_operate;
    GRANT UPDATE (ended_at, ended_as) ON agent_ownership TO aps_operate;
    GRANT INSERT (request, step, kind, version, worker, detail) ON agent_event TO aps_operate;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_work') THEN
    GRANT SELECT ON agent_version, agent_case, agent_step, agent_ownership, agent_event TO aps_work;
    GRANT INSERT (request, scope), UPDATE (created_at) ON agent_case TO aps_work;
    GRANT INSERT (request, step, task),
          UPDATE (state, worker, version, renewed_at, expires_at, external_operation, result, result_version, opened_at,
                  updated_at, finished_at) ON agent_step TO aps_work;
    GRANT INSERT (request, step, version, worker, ended_at, ended_as), UPDATE (ended_at, ended_as)
       ON agent_ownership TO aps_work;
    GRANT INSERT (request, step, kind, version, worker, detail) ON agent_event TO aps_work;
  END IF;
END $$;
