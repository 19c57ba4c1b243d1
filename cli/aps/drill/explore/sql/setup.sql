-- What an explored queue is watched by, once a database: every change of a job with its transaction, and every lease
-- that ended. It adds no constraint and takes no lock on the queue. And a trigger that meddles where it is told to.
CREATE SCHEMA drill;

CREATE TABLE drill.change (
  change_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id      bigint NOT NULL,
  transaction xid8 NOT NULL,
  application text NOT NULL,
  before      aps.job NOT NULL,
  after       aps.job NOT NULL
);

-- Leases that are over, each with the newest event and change of that moment.
CREATE TABLE drill.over (
  job_id    bigint NOT NULL,
  epoch     bigint NOT NULL,
  event_id  bigint NOT NULL,
  change_id bigint NOT NULL,
  PRIMARY KEY (job_id, epoch)
);

CREATE FUNCTION drill.note_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO drill.change (job_id, transaction, application, before, after)
  VALUES (OLD.job_id, pg_current_xact_id(), current_setting('application_name'), OLD, NEW);
  RETURN NULL;
END $$;
-- What the drill itself forges, or somebody changes by hand (H), is not held to the rules of the queue.
CREATE TRIGGER note_change AFTER UPDATE ON aps.job FOR EACH ROW
  WHEN (current_setting('application_name') NOT IN ('watch', 'H')) EXECUTE FUNCTION drill.note_change();

-- A trigger of somebody else's that touches another row, at once or at the end of the transaction, where it is told to.
CREATE TABLE drill.meddling (late boolean PRIMARY KEY);
CREATE FUNCTION drill.meddle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE aps.job SET updated_at = clock_timestamp()
   WHERE request_key = 'bystander' AND EXISTS (SELECT FROM drill.meddling WHERE late = (TG_ARGV[0] = 'late'));
  RETURN NULL;
END $$;
CREATE TRIGGER meddle AFTER UPDATE OF epoch ON aps.job FOR EACH ROW
  WHEN (OLD.state = 'running' AND NEW.state = 'ready') EXECUTE FUNCTION drill.meddle('at once');
CREATE CONSTRAINT TRIGGER meddle_late AFTER UPDATE OF epoch ON aps.job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.state = 'running' AND NEW.state = 'ready') EXECUTE FUNCTION drill.meddle('late');

-- The leases that are over by the clock are known to be so from here on.
CREATE FUNCTION drill.note_over() RETURNS void LANGUAGE sql AS $$
  INSERT INTO drill.over (job_id, epoch, event_id, change_id)
  SELECT job_id, epoch, coalesce(pg_sequence_last_value('aps.event_event_id_seq'), 0),
         coalesce(pg_sequence_last_value('drill.change_change_id_seq'), 0)
    FROM aps.job WHERE state = 'running' AND lease_until <= clock_timestamp()
  ON CONFLICT DO NOTHING
$$;

-- Time passes until every lease that was given is over: moved, not waited for.
CREATE FUNCTION drill.end_leases() RETURNS void LANGUAGE sql AS $$
  UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'
   WHERE state = 'running' AND lease_until > clock_timestamp();
  SELECT drill.note_over();
$$;

-- The same, waited for by the clock.
CREATE FUNCTION drill.outwait_leases() RETURNS void LANGUAGE sql AS $$
  SELECT pg_sleep(extract(epoch FROM max(lease_until) - clock_timestamp()) + 0.002) FROM aps.job WHERE state = 'running';
  SELECT drill.note_over();
$$;

-- An empty queue again; the guards of the schema let nobody else do that.
CREATE FUNCTION drill.reset() RETURNS void LANGUAGE sql SET session_replication_role = replica AS $$
  DELETE FROM aps.event;
  DELETE FROM aps.attempt;
  DELETE FROM aps.job;
  DELETE FROM aps_journal.entry;
  DELETE FROM aps_journal.batch;
  DELETE FROM drill.change;
  DELETE FROM drill.over;
  DELETE FROM drill.meddling;
  SELECT setval('aps.job_job_id_seq', 1, false);
$$;

-- Every statement is sent thousands of times with other values: one plan serves.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
END $$;
