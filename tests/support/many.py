"""Many orphans at once: jobs at their second epoch, and the file that each one's first worker left."""

from __future__ import annotations

from tests.support.artifacts import Artifacts

_JOBS = b"""
WITH made AS (
  INSERT INTO aps.job (job_id, request_key, kind, state, worker, epoch, lease_until, candidate, ready_at, started_at)
  OVERRIDING SYSTEM VALUE
  SELECT n, 'request ' || n, 'export', 'running', 'w2', 2, clock_timestamp() + interval '10 min', n || '/2-b',
         clock_timestamp(), clock_timestamp()
    FROM generate_series(1, %(jobs)s) AS n
  RETURNING job_id
)
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT job_id, epoch, 'w' || epoch, job_id || CASE epoch WHEN 1 THEN '/1-a' ELSE '/2-b' END,
       CASE epoch WHEN 1 THEN clock_timestamp() END, CASE epoch WHEN 1 THEN 'superseded' END
  FROM made CROSS JOIN generate_series(1, 2) AS epoch
"""


def orphans(held: Artifacts, jobs: int) -> dict[str, bytes]:
    """The files, by name: one of each of the jobs 1 to `jobs`, no two alike."""
    held.database.execute(_JOBS, {"jobs": jobs})
    found = {f"{n}/1-a": f"the file of {n}\n".encode() for n in range(1, jobs + 1)}
    for name, content in found.items():
        held.write(name, content)
    return found
