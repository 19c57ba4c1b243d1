-- Requests owned by agent workers, version 1. Names without a schema: they lie wherever search_path says.
-- Authority is the version: every new ownership raises it by one, and a result must name the version it was made under.
CREATE TABLE agent_version (
  version    integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO agent_version (version) VALUES (1);

-- A case, by the caller's stable key: owned as a whole (its step 0), or step by step (1, 2, ...), never both.
CREATE TABLE agent_case (
  request    text PRIMARY KEY,
  scope      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (request, scope),
  CONSTRAINT request_not_empty CHECK (request <> ''),
  CONSTRAINT scope_known CHECK (scope IN ('case', 'step'))
);

-- What is owned.
CREATE TABLE agent_step (
  request            text NOT NULL,
  step               integer NOT NULL,
  scope              text NOT NULL GENERATED ALWAYS AS (CASE step WHEN 0 THEN 'case' ELSE 'step' END) STORED,
  state              text NOT NULL DEFAULT 'open',
  task               text NOT NULL,
  worker             text,
  version            bigint NOT NULL DEFAULT 0,
  renewed_at         timestamptz,
  expires_at         timestamptz,
  -- The key of a write to another system that was begun and whose outcome nobody has recorded.
  external_operation text,
  result             text,
  result_version     bigint,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  opened_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at        timestamptz,
  PRIMARY KEY (request, step),
  FOREIGN KEY (request, scope) REFERENCES agent_case (request, scope),
  CONSTRAINT step_not_negative CHECK (step >= 0),
  CONSTRAINT version_not_negative CHECK (version >= 0),
  CONSTRAINT state_known CHECK (state IN ('open', 'owned', 'uncertain', 'done')),
  CONSTRAINT worker_not_empty CHECK (worker <> ''),
  CONSTRAINT ownership_whole CHECK (num_nonnulls(worker, renewed_at, expires_at) IN (0, 3)),
  CONSTRAINT ownership_where_owned CHECK ((state = 'owned') = (worker IS NOT NULL)),
  -- Lengthening every lease hides why workers vanish: nobody can lengthen one past this.
  CONSTRAINT lease_capped CHECK (expires_at <= renewed_at + interval '1 h'),
  CONSTRAINT external_where_unsettled CHECK (
    CASE state WHEN 'uncertain' THEN external_operation IS NOT NULL WHEN 'owned' THEN true ELSE external_operation IS NULL END),
  CONSTRAINT result_whole CHECK (num_nonnulls(result, result_version, finished_at) IN (0, 3)),
  CONSTRAINT result_where_done CHECK ((state = 'done') = (result IS NOT NULL)),
  -- The fence, held by the table whatever statement writes: the result of an older version is refused.
  CONSTRAINT result_of_this_version CHECK (result_version = version),
  CONSTRAINT times_finite CHECK (
    isfinite(renewed_at) AND isfinite(expires_at) AND isfinite(created_at) AND isfinite(opened_at)
    AND isfinite(updated_at) AND isfinite(finished_at))
);
CREATE INDEX agent_step_open ON agent_step (opened_at, request, step) WHERE state = 'open';
CREATE INDEX agent_step_owned ON agent_step (expires_at, request, step) WHERE state = 'owned';
CREATE INDEX agent_step_uncertain ON agent_step (updated_at, request, step) WHERE state = 'uncertain';
CREATE INDEX agent_step_done ON agent_step (finished_at, request, step) WHERE state = 'done';

-- One row an ownership, by the version that it had.
CREATE TABLE agent_ownership (
  request     text NOT NULL,
  step        integer NOT NULL,
  version     bigint NOT NULL,
  worker      text NOT NULL,
  acquired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at    timestamptz,
  ended_as    text,
  PRIMARY KEY (request, step, version),
  FOREIGN KEY (request, step) REFERENCES agent_step,
  CONSTRAINT end_known CHECK (ended_as IN ('completed', 'released', 'uncertain', 'vanished')),
  CONSTRAINT end_whole CHECK (num_nonnulls(ended_at, ended_as) IN (0, 2))
);
CREATE INDEX agent_ownership_vanished ON agent_ownership (request, step, ended_at) WHERE ended_as = 'vanished';

-- What happened, in order; also every write of a worker that came too late. Append only.
CREATE TABLE agent_event (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request  text NOT NULL,
  step     integer NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind     text NOT NULL,
  -- The version and worker of the one who acted or was refused, not those of the row.
  version  bigint,
  worker   text,
  detail   text,
  FOREIGN KEY (request, step) REFERENCES agent_step,
  CONSTRAINT kind_known CHECK (kind IN ('accepted', 'acquired', 'recovered', 'reclaimed', 'began', 'settled', 'uncertain',
                                        'completed', 'repeated', 'released', 'rejected'))
);
CREATE INDEX agent_event_of_step ON agent_event (request, step, event_id);
CREATE INDEX agent_event_of_kind ON agent_event (kind, at) WHERE kind IN ('recovered', 'reclaimed', 'rejected');

CREATE FUNCTION agent_guard_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A CHECK cannot see the old row: the version rises one step at a time, a new owner has a new version, done stays done.
  IF NEW.version - OLD.version NOT IN (0, 1) THEN
    RAISE EXCEPTION '% step %: version % may not become %', OLD.request, OLD.step, OLD.version, NEW.version
      USING ERRCODE = 'check_violation', CONSTRAINT = 'version_rises_by_one';
  END IF;
  IF NEW.worker IS NOT NULL AND NEW.version = OLD.version AND NEW.worker IS DISTINCT FROM OLD.worker THEN
    RAISE EXCEPTION '% step %: a new owner needs a new version', OLD.request, OLD.step
      USING ERRCODE = 'check_violation', CONSTRAINT = 'owner_has_own_version';
  END IF;
  IF OLD.state = 'done' THEN
    RAISE EXCEPTION '% step %: what is done stays as it is', OLD.request, OLD.step
      USING ERRCODE = 'check_violation', CONSTRAINT = 'done_stays_done';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER agent_guard_step BEFORE UPDATE ON agent_step FOR EACH ROW
  WHEN ((NEW.version, NEW.state, NEW.worker, NEW.result) IS DISTINCT FROM (OLD.version, OLD.state, OLD.worker, OLD.result))
  EXECUTE FUNCTION agent_guard_step();

CREATE FUNCTION agent_guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'agent_event is append only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER agent_guard_event BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_event
  FOR EACH STATEMENT EXECUTE FUNCTION agent_guard_event();

-- What the team of the other system does when it has read that system's record of the operation: the request is open again,
-- under the next version, with the outcome in its events, where the next worker reads it before it repeats anything.
-- Only for what uncertain_external_write.sql shows: an unsettled write without an owner whose time runs.
CREATE FUNCTION agent_settle(the_request text, the_step integer, the_operation text, happened boolean, told text)
RETURNS TABLE (request text, step integer, version bigint) LANGUAGE sql AS $$
  WITH held AS MATERIALIZED (
    SELECT s.request, s.step, s.state, s.worker, s.version, s.external_operation, s.expires_at FROM agent_step s
     WHERE s.request = the_request AND s.step = the_step FOR NO KEY UPDATE
  ), judged AS MATERIALIZED (
    SELECT h.*, clock_timestamp() AS clock FROM held h
  ), settled AS (
    UPDATE agent_step s
       SET state = 'open', version = s.version + 1, worker = NULL, renewed_at = NULL, expires_at = NULL,
           external_operation = NULL, opened_at = h.clock, updated_at = h.clock
      FROM judged h
     WHERE s.request = h.request AND s.step = h.step AND h.external_operation = the_operation AND happened IS NOT NULL
       AND (h.state = 'uncertain' OR (h.state = 'owned' AND h.expires_at <= h.clock))
    RETURNING s.request, s.step, s.version, h.state AS before, h.worker AS left_by, h.clock
  ), closed AS (
    INSERT INTO agent_ownership (request, step, version, worker, ended_at, ended_as)
    SELECT s.request, s.step, s.version - 1, s.left_by, s.clock, 'vanished' FROM settled s WHERE s.before = 'owned'
    ON CONFLICT ON CONSTRAINT agent_ownership_pkey DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as
  ), logged AS (
    INSERT INTO agent_event (request, step, kind, version, worker, detail)
    SELECT s.request, s.step, 'settled', s.version, session_user,
           the_operation || CASE WHEN happened THEN ' happened: ' ELSE ' did not happen: ' END || told FROM settled s
  )
  SELECT s.request, s.step, s.version FROM settled s
$$;

-- Ownership whose time ran out: the authorization ended, not necessarily the worker.
CREATE VIEW agent_overdue_ownership AS
SELECT worker, count(*) FILTER (WHERE expires_at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE expires_at <= clock_timestamp() - interval '24 hours'
                          AND expires_at > clock_timestamp() - interval '48 hours') AS previous_24_h,
       count(*) AS total, min(expires_at) AS oldest
  FROM agent_step
 WHERE state = 'owned' AND expires_at <= clock_timestamp()
 GROUP BY worker;

-- How often work passed on: by a worker (recovered) or by an operator (reclaimed).
CREATE VIEW agent_recoveries AS
SELECT kind AS recovery, count(*) FILTER (WHERE at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE at <= clock_timestamp() - interval '24 hours') AS previous_24_h
  FROM agent_event
 WHERE kind IN ('recovered', 'reclaimed') AND at > clock_timestamp() - interval '48 hours'
 GROUP BY kind;

-- Writes of workers that came too late and were refused by their version or their time.
CREATE VIEW agent_rejected_result AS
SELECT worker, count(*) FILTER (WHERE at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE at <= clock_timestamp() - interval '24 hours') AS previous_24_h, max(at) AS latest
  FROM agent_event
 WHERE kind = 'rejected' AND at > clock_timestamp() - interval '48 hours'
 GROUP BY worker;

-- Requests that more than one worker vanished from.
CREATE VIEW agent_repeatedly_vanished AS
SELECT request, step, count(*) FILTER (WHERE ended_at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE ended_at <= clock_timestamp() - interval '24 hours'
                          AND ended_at > clock_timestamp() - interval '48 hours') AS previous_24_h,
       count(*) AS total, count(DISTINCT worker) AS workers
  FROM agent_ownership
 WHERE ended_as = 'vanished'
 GROUP BY request, step
HAVING count(*) > 1;
