-- Words in which the rows of the cases are said; they last as long as the session that loads them.
-- Times are minutes from the database's now: -9 is nine minutes ago.
CREATE FUNCTION pg_temp.at(minutes numeric) RETURNS timestamptz LANGUAGE sql VOLATILE
AS $$ SELECT clock_timestamp() + make_interval(secs => minutes::double precision * 60) $$;

-- A file name of the reference queue carries job and epoch.
CREATE FUNCTION pg_temp.file(job bigint, epoch bigint) RETURNS text LANGUAGE sql IMMUTABLE
AS $$ SELECT job || '/' || epoch || '-' || lpad(to_hex(epoch % 4294967296), 12, '0') $$;

CREATE FUNCTION pg_temp.ready(job bigint, epoch bigint DEFAULT 0, since numeric DEFAULT -1, kind text DEFAULT 'render')
RETURNS void LANGUAGE sql AS $$
  INSERT INTO aps.job (job_id, request_key, kind, state, epoch, created_at, ready_at, updated_at) OVERRIDING SYSTEM VALUE
  VALUES (job, 'case ' || job, kind, 'ready', epoch, pg_temp.at(least(since, -1) - 30), pg_temp.at(since), pg_temp.at(since))
$$;

-- An ownership of an earlier epoch.
CREATE FUNCTION pg_temp.attempt(job bigint, epoch bigint, worker text, claimed numeric, ended numeric, ended_as text)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at, ended_at, ended_as)
  VALUES (job, epoch, worker, pg_temp.file(job, epoch), pg_temp.at(claimed), pg_temp.at(ended), ended_as)
$$;

-- A job in the hands of a worker, with the open attempt of its epoch.
CREATE FUNCTION pg_temp.running(job bigint, worker text, epoch bigint, lease numeric, started numeric DEFAULT -30,
                                updated numeric DEFAULT -1, kind text DEFAULT 'render')
RETURNS void LANGUAGE sql AS $$
  INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate,
                       created_at, ready_at, started_at, updated_at) OVERRIDING SYSTEM VALUE
  VALUES (job, 'case ' || job, kind, 'running', worker, epoch, pg_temp.at(lease), pg_temp.file(job, epoch),
          pg_temp.at(started - 1), pg_temp.at(started - 1), pg_temp.at(started), pg_temp.at(updated));
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, claimed_at)
  VALUES (job, epoch, worker, pg_temp.file(job, epoch), pg_temp.at(started))
$$;
