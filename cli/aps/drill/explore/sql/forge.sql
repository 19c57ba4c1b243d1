-- Rows that no correct writer leaves: ready or overdue, with an attempt above their epoch, or at the end of its range.
-- Returns nothing.
WITH made AS (
  INSERT INTO aps.job (request_key, kind, state, ready_at, epoch)
  VALUES ('above', 'export', 'ready', clock_timestamp(), 0),
         ('end', 'export', 'ready', clock_timestamp(), 9223372036854775807)
  RETURNING job_id, request_key
), overdue AS (
  INSERT INTO aps.job (job_id, request_key, kind, state, ready_at, epoch, worker, lease_until, candidate)
  OVERRIDING SYSTEM VALUE
  VALUES (101, 'overdue above', 'export', 'running', clock_timestamp(), 1, 'Z', clock_timestamp() - interval '1 h', '101/1-a'),
         (102, 'overdue end', 'export', 'running', clock_timestamp(), 9223372036854775807, 'Z',
          clock_timestamp() - interval '1 h', '102/9223372036854775807-a')
  RETURNING job_id, epoch, worker, candidate
), known AS (
  INSERT INTO drill.over (job_id, epoch, event_id, change_id) SELECT job_id, epoch, 0, 0 FROM overdue
), attempted AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate) SELECT job_id, epoch, worker, candidate FROM overdue
)
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT job_id, 1, 'Z', job_id || '/1-b', clock_timestamp(), 'released' FROM made WHERE request_key = 'above'
UNION ALL
SELECT job_id, 2, 'Z', job_id || '/2-b', clock_timestamp(), 'released' FROM overdue WHERE epoch = 1
