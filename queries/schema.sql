-- The reference queue of aps: schema `aps`, version 1. Run once by `aps init`, in one transaction.
-- What SQL can forbid, constraints forbid; each names what it keeps out. The worker's side is queries/worker/*.sql.
CREATE SCHEMA aps;

CREATE TABLE aps.version (
  version    integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO aps.version (version) VALUES (1);

CREATE TABLE aps.job (
  job_id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The caller's stable key: the same request may be sent twice and is one job.
  request_key      text NOT NULL UNIQUE,
  kind             text NOT NULL,
  state            text NOT NULL,
  input_name       text COLLATE "C",
  input_digest     text,
  worker           text,
  epoch            bigint NOT NULL DEFAULT 0,
  lease_until      timestamptz,
  -- The file that the current epoch writes.
  candidate        text COLLATE "C",
  published_name   text COLLATE "C",
  published_digest text,
  published_epoch  bigint,
  published_at     timestamptz,
  withdrawn_at     timestamptz,
  -- Why a failed or cancelled job ended, in words.
  reason           text,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  ready_at         timestamptz,
  started_at       timestamptz,
  -- The last change or reported progress; a heartbeat alone does not move it.
  updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at      timestamptz,

  CONSTRAINT state_known CHECK (state IN ('materializing', 'ready', 'running', 'complete', 'cancelled', 'failed')),
  CONSTRAINT names_not_empty CHECK (request_key <> '' AND kind <> '' AND worker <> ''),
  CONSTRAINT epoch_not_negative CHECK (epoch >= 0),
  CONSTRAINT input_whole CHECK (num_nonnulls(input_name, input_digest) IN (0, 2)),
  CONSTRAINT digests_are_sha256 CHECK (input_digest ~ '^sha256:[0-9a-f]{64}$' AND published_digest ~ '^sha256:[0-9a-f]{64}$'),
  CONSTRAINT input_name_is_plain CHECK (input_name ~ '^[^/[:cntrl:]][^[:cntrl:]]*$' AND input_name !~ '(^|/)[.]{1,2}(/|$)'),
  CONSTRAINT materializing_has_input_at_epoch_0 CHECK (state <> 'materializing' OR (input_name IS NOT NULL AND epoch = 0)),
  CONSTRAINT ready_time CHECK (state NOT IN ('ready', 'running', 'complete') OR ready_at IS NOT NULL),
  CONSTRAINT ownership_whole CHECK (num_nonnulls(worker, lease_until, candidate) IN (0, 3)),
  -- A cancelled job keeps its worker and lease: the process may still run until the lease ends.
  CONSTRAINT ownership_where_running CHECK (state = 'cancelled' OR (state = 'running') = (worker IS NOT NULL)),
  CONSTRAINT candidate_of_this_epoch CHECK (candidate ~ ('^' || job_id || '/' || epoch || '-[A-Za-z0-9._-]+$')),
  CONSTRAINT publication_whole CHECK (num_nonnulls(published_name, published_digest, published_epoch, published_at) IN (0, 4)),
  CONSTRAINT publication_where_complete CHECK ((state = 'complete') = (published_name IS NOT NULL)),
  CONSTRAINT publication_of_this_epoch CHECK (published_epoch = epoch),
  CONSTRAINT published_name_of_this_epoch CHECK (published_name ~ ('^' || job_id || '/' || published_epoch || '-[A-Za-z0-9._-]+$')),
  CONSTRAINT withdrawn_where_complete CHECK (withdrawn_at IS NULL OR state = 'complete'),
  CONSTRAINT finished_time CHECK ((finished_at IS NOT NULL) = (state IN ('complete', 'cancelled', 'failed'))),
  CONSTRAINT reason_where_ended CHECK (reason IS NULL OR state IN ('cancelled', 'failed')),
  -- An age cannot be taken from `infinity`: one such row would make its whole state unreadable.
  CONSTRAINT times_finite CHECK (
    isfinite(lease_until) AND isfinite(published_at) AND isfinite(withdrawn_at) AND isfinite(created_at)
    AND isfinite(ready_at) AND isfinite(started_at) AND isfinite(updated_at) AND isfinite(finished_at))
);

-- Triage costs what is unfinished, not what is finished: every index for it is partial.
CREATE INDEX job_unfinished ON aps.job (job_id) WHERE state NOT IN ('complete', 'cancelled', 'failed');
CREATE INDEX job_materializing ON aps.job (created_at, job_id) WHERE state = 'materializing';
CREATE INDEX job_ready ON aps.job (ready_at, job_id) WHERE state = 'ready';
CREATE INDEX job_running ON aps.job (lease_until, job_id) WHERE state = 'running';
CREATE INDEX job_cancelled_leased ON aps.job (lease_until, job_id) WHERE state = 'cancelled' AND lease_until IS NOT NULL;
CREATE INDEX job_withdrawn ON aps.job (withdrawn_at, job_id) WHERE withdrawn_at IS NOT NULL;
CREATE INDEX job_finished ON aps.job (finished_at, job_id) WHERE finished_at IS NOT NULL;
CREATE INDEX job_published ON aps.job (published_name) WHERE published_name IS NOT NULL;
CREATE INDEX job_by_input ON aps.job (input_name) WHERE input_name IS NOT NULL;

-- One row an ownership: every worker and every file name ever handed out, so that an orphan is a fact, not a guess.
CREATE TABLE aps.attempt (
  job_id     bigint NOT NULL REFERENCES aps.job,
  epoch      bigint NOT NULL,
  worker     text NOT NULL,
  candidate  text COLLATE "C" NOT NULL UNIQUE,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at   timestamptz,
  -- `end` in the design; END is a reserved word.
  ended_as   text,
  PRIMARY KEY (job_id, epoch),
  CONSTRAINT epoch_positive CHECK (epoch > 0),
  CONSTRAINT end_known CHECK (ended_as IN ('published', 'released', 'abandoned', 'superseded', 'failed', 'cancelled')),
  CONSTRAINT end_whole CHECK (num_nonnulls(ended_at, ended_as) IN (0, 2)),
  CONSTRAINT candidate_of_this_epoch CHECK (candidate ~ ('^' || job_id || '/' || epoch || '-[A-Za-z0-9._-]+$'))
);
CREATE INDEX attempt_vanished ON aps.attempt (job_id, ended_at) WHERE ended_as IN ('abandoned', 'superseded');

-- What happened, in order. Append only.
CREATE TABLE aps.event (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id   bigint NOT NULL REFERENCES aps.job,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind     text NOT NULL,
  -- The epoch and worker of the one who acted or was refused, not those of the row.
  epoch    bigint,
  worker   text,
  detail   text,
  CONSTRAINT kind_known CHECK (kind IN (
    'accepted', 'confirmed', 'claimed', 'adopted', 'progressed', 'published', 'repeated', 'rejected', 'released',
    'failed', 'cancelled', 'reclaimed', 'withdrawn', 'restored'))
);
CREATE INDEX event_of_job ON aps.event (job_id, event_id);
CREATE INDEX event_of_kind ON aps.event (kind, at) WHERE kind IN ('adopted', 'reclaimed', 'rejected');

-- The identity of the artifact store that this database publishes into.
CREATE TABLE aps.store (
  store_id text PRIMARY KEY,
  bound_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION aps.guard_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A CHECK cannot see the old row: authority only rises, one step at a time, a new owner has a new epoch, and what is
  -- finished or published stays as it is.
  IF NEW.epoch - OLD.epoch NOT IN (0, 1) THEN
    RAISE EXCEPTION 'job %: epoch % may not become %', OLD.job_id, OLD.epoch, NEW.epoch
      USING ERRCODE = 'check_violation', CONSTRAINT = 'epoch_rises_by_one';
  END IF;
  IF NEW.worker IS NOT NULL AND NEW.epoch = OLD.epoch
     AND (NEW.worker, NEW.candidate) IS DISTINCT FROM (OLD.worker, OLD.candidate) THEN
    RAISE EXCEPTION 'job %: a new owner or candidate needs a new epoch', OLD.job_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'owner_has_own_epoch';
  END IF;
  IF OLD.finished_at IS NOT NULL AND (NEW.state, NEW.epoch) IS DISTINCT FROM (OLD.state, OLD.epoch) THEN
    RAISE EXCEPTION 'job %: % at epoch % may not become % at epoch %',
      OLD.job_id, OLD.state, OLD.epoch, NEW.state, NEW.epoch
      USING ERRCODE = 'check_violation', CONSTRAINT = 'finished_stays_finished';
  END IF;
  IF OLD.published_name IS NOT NULL
     AND (NEW.published_name, NEW.published_digest, NEW.published_epoch, NEW.published_at)
         IS DISTINCT FROM (OLD.published_name, OLD.published_digest, OLD.published_epoch, OLD.published_at) THEN
    RAISE EXCEPTION 'job %: a publication is withdrawn, never changed', OLD.job_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'publication_stays';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER guard_job BEFORE UPDATE ON aps.job FOR EACH ROW
  -- A heartbeat, the most frequent write, changes none of these.
  WHEN ((NEW.epoch, NEW.state, NEW.worker, NEW.candidate,
         NEW.published_name, NEW.published_digest, NEW.published_epoch, NEW.published_at)
        IS DISTINCT FROM (OLD.epoch, OLD.state, OLD.worker, OLD.candidate,
         OLD.published_name, OLD.published_digest, OLD.published_epoch, OLD.published_at))
  EXECUTE FUNCTION aps.guard_job();

CREATE FUNCTION aps.guard_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'aps.event is append only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER guard_event BEFORE UPDATE OR DELETE OR TRUNCATE ON aps.event
  FOR EACH STATEMENT EXECUTE FUNCTION aps.guard_event();

-- What consumers read. Nothing else is a result.
CREATE VIEW aps.valid_result AS
SELECT job_id, request_key, kind, published_name AS name, published_digest AS digest, published_epoch AS epoch, published_at
  FROM aps.job
 WHERE state = 'complete' AND withdrawn_at IS NULL;

-- Ownership whose lease ran out: the authorization ended, not necessarily the process.
CREATE VIEW aps.overdue_ownership AS
SELECT kind, worker,
       count(*) FILTER (WHERE lease_until > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE lease_until <= clock_timestamp() - interval '24 hours'
                          AND lease_until > clock_timestamp() - interval '48 hours') AS previous_24_h,
       count(*) AS total, min(lease_until) AS oldest_lease
  FROM aps.job
 WHERE state = 'running' AND lease_until <= clock_timestamp()
 GROUP BY kind, worker;

-- How often work passed on: by a worker (adopted) or by an operator (reclaimed).
CREATE VIEW aps.recoveries AS
SELECT j.kind, e.kind AS recovery,
       count(*) FILTER (WHERE e.at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE e.at <= clock_timestamp() - interval '24 hours') AS previous_24_h
  FROM aps.event e JOIN aps.job j USING (job_id)
 WHERE e.kind IN ('adopted', 'reclaimed') AND e.at > clock_timestamp() - interval '48 hours'
 GROUP BY j.kind, e.kind;

-- Writes of workers that came too late and were refused by the fence.
CREATE VIEW aps.rejected_result AS
SELECT j.kind, e.worker,
       count(*) FILTER (WHERE e.at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE e.at <= clock_timestamp() - interval '24 hours') AS previous_24_h,
       max(e.at) AS latest
  FROM aps.event e JOIN aps.job j USING (job_id)
 WHERE e.kind = 'rejected' AND e.worker IS NOT NULL AND e.at > clock_timestamp() - interval '48 hours'
 GROUP BY j.kind, e.worker;

-- Jobs that took down more than one worker.
CREATE VIEW aps.repeatedly_abandoned AS
SELECT a.job_id, j.kind, j.state,
       count(*) FILTER (WHERE a.ended_at > clock_timestamp() - interval '24 hours') AS last_24_h,
       count(*) FILTER (WHERE a.ended_at <= clock_timestamp() - interval '24 hours'
                          AND a.ended_at > clock_timestamp() - interval '48 hours') AS previous_24_h,
       count(*) AS total, count(DISTINCT a.worker) AS workers
  FROM aps.attempt a JOIN aps.job j USING (job_id)
 WHERE a.ended_as IN ('abandoned', 'superseded')
 GROUP BY a.job_id, j.kind, j.state
HAVING count(*) > 1;
