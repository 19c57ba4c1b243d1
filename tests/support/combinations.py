"""Every combination of columns and attempts that the constraints let in, each a job of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.support.database import Database
from tests.support.rows import NOW

STATES = ("materializing", "ready", "running", "complete", "cancelled", "failed")
MAX_LEASE = timedelta(minutes=15)
LEASES = (
    None,
    NOW - timedelta(seconds=1),
    NOW,
    NOW + timedelta(microseconds=1),
    NOW + MAX_LEASE,
    NOW + MAX_LEASE + timedelta(microseconds=1),
)
# The attempts of a job: how far above or below its epoch, and how each ended; `open` for one that did not.
ATTEMPTS: tuple[tuple[tuple[int, str], ...], ...] = (
    (),
    ((0, "open"),),
    ((0, "released"),),
    ((0, "open"), (-1, "abandoned")),
    ((0, "open"), (-1, "abandoned"), (-2, "superseded")),
    ((0, "open"), (-1, "abandoned"), (-2, "superseded"), (-3, "abandoned")),
    ((0, "abandoned"), (-1, "abandoned"), (-2, "abandoned")),
    ((-1, "released"), (-2, "failed")),
    ((-1, "open"),),
    ((0, "open"), (-1, "open")),
    ((0, "published"), (-1, "open")),
    ((1, "open"),),
    ((1, "released"),),
    ((0, "open"), (1, "open")),
    ((0, "open"), (1, "abandoned")),
)
_EPOCHS = (0, 4)

# One savepoint a combination: either the constraints let it in with all its attempts, or it does not exist.
_FILL = b"""
CREATE FUNCTION fill(states text[], leases timestamptz[], epochs bigint[], variants integer, clock timestamptz,
                     ends boolean[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE c record;
BEGIN
  FOR c IN
    SELECT row_number() OVER () * 100 AS first, *
      FROM unnest(states) AS state, unnest(leases) AS lease_until, unnest(epochs) AS epoch,
           (VALUES (NULL), ('w1')) AS w (worker), (VALUES (false), (true)) AS c (candidate),
           (VALUES (false), (true)) AS i (input), (VALUES (false), (true)) AS r (ready),
           unnest(ends) AS finished, unnest(ends) AS published, unnest(ends) AS withdrawn
  LOOP
    BEGIN
      INSERT INTO aps.job (job_id, request_key, kind, state, epoch, worker, lease_until, candidate, input_name,
                           input_digest, ready_at, finished_at, published_name, published_digest, published_epoch,
                           published_at, withdrawn_at)
      OVERRIDING SYSTEM VALUE
      SELECT id, id, 'export', c.state, c.epoch, c.worker, c.lease_until,
             CASE WHEN c.candidate THEN id || '/' || c.epoch || '-x' END,
             CASE WHEN c.input THEN 'in/1.csv' END, CASE WHEN c.input THEN digest END,
             CASE WHEN c.ready THEN clock END, CASE WHEN c.finished THEN clock END,
             CASE WHEN c.published THEN id || '/' || c.epoch || '-x' END,
             CASE WHEN c.published THEN digest END, CASE WHEN c.published THEN c.epoch END,
             CASE WHEN c.published THEN clock END, CASE WHEN c.withdrawn THEN clock END
        FROM generate_series(c.first, c.first + variants - 1) AS id,
             (SELECT 'sha256:' || repeat('ab', 32) AS digest) AS d;
    EXCEPTION WHEN check_violation THEN NULL;
    END;
  END LOOP;
END $$"""
_ATTEMPT = b"""
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT job_id, epoch + %(above)s, 'w' || %(above)s, job_id || '/' || epoch + %(above)s || '-x',
       CASE WHEN %(end)s::text <> 'open' THEN %(clock)s::timestamptz END, nullif(%(end)s::text, 'open')
  FROM aps.job WHERE job_id %% 100 = %(variant)s AND epoch + %(above)s > 0"""
_FREE = b"""
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = 'aps.job'::regclass AND contype = 'c'
                 AND conname <> ALL ('{state_known,times_finite}') LOOP
    EXECUTE format('ALTER TABLE aps.job DROP CONSTRAINT %I', name);
  END LOOP;
END $$"""
_ROWS = b"""
SELECT j.job_id, j.state, j.epoch, num_nonnulls(j.worker, j.lease_until, j.candidate), j.lease_until,
       j.withdrawn_at IS NOT NULL,
       ARRAY(SELECT a.epoch - j.epoch FROM aps.attempt a WHERE a.job_id = j.job_id AND a.ended_at IS NULL),
       ARRAY(SELECT a.epoch - j.epoch FROM aps.attempt a WHERE a.job_id = j.job_id),
       (SELECT count(*) FROM aps.attempt a
         WHERE a.job_id = j.job_id AND a.ended_as IN ('abandoned', 'superseded'))
  FROM aps.job j ORDER BY j.job_id"""


@dataclass(frozen=True, slots=True)
class Combination:
    """A job and its attempts, as far as its state depends on them; `open` and `all` tell distances to its epoch."""

    job: int
    state: str
    epoch: int
    owned: int
    lease: datetime | None
    withdrawn: bool
    open: list[int]
    all: list[int]
    abandoned: int


def fill(
    database: Database, states: Sequence[str] = STATES, *, constrained: bool = True
) -> list[Combination]:
    """Those that the constraints let in; otherwise all that owner, lease and file of unfinished rows can be."""
    if not constrained:
        database.execute(_FREE)
    database.execute(_FILL)
    finished = [False, True] if constrained else [False]
    database.execute(
        b"SELECT fill(%s, %s, %s, %s, %s, %s)",
        [list(states), list(LEASES), list(_EPOCHS), len(ATTEMPTS), NOW, finished],
    )
    for variant, attempts in enumerate(ATTEMPTS):
        for above, end in attempts:
            bound = {"above": above, "end": end, "variant": variant, "clock": NOW}
            database.execute(_ATTEMPT, bound)
    database.execute(b"ANALYZE aps.job, aps.attempt")
    return [Combination(*row) for row in database.execute(_ROWS)]
