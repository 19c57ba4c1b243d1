"""A queue that aps did not make: a key of two texts, nothing that fences, and a small pack for it."""

from __future__ import annotations

from pathlib import Path

from aps.model.matrix import Matrix
from tests.support import packs
from tests.support.database import Database

_MATRIX = """\
matrix: 1
system: tasks
table: task
key: [queue, id]
fencing: none
owner: {team: task-oncall}
states:
  ready:
    means: nobody took it
    action: none
  taken:
    means: somebody took it
    not: that they are alive
    severity: {warning: 1}
    action: {run: reclaim, attest: all-workers-stopped, effect: ready again}
    rollback: {criterion: another row changes, irreversible: the table has no generation}
absent:
  unconfirmed_materialization: there are no inputs
  live_lease: there is no lease
  adoption: see taken
  orphan_candidate: there are no files
  confirmed_publication: what is done is deleted
  missing_artifact: there are no files
"""
_KEYS = "unnest(%(queue)s::text[], %(id)s::text[]) AS k (queue, id)"
_RECLAIM = f"""\
-- Returns queue, id.
UPDATE task t SET taken_by = NULL, until = NULL FROM {_KEYS}
 WHERE t.queue = k.queue AND t.id = k.id RETURNING t.queue, t.id
"""
_DELETE = f"""\
-- Returns queue, id.
DELETE FROM task t USING {_KEYS}
 WHERE t.queue = k.queue AND t.id = k.id RETURNING t.queue, t.id
"""
_VERIFY = f"""\
-- Returns queue, id, reason.
SELECT queue, id, 'it is not what it was' AS reason FROM {_KEYS}
"""
_FILES = {
    "matrix.yaml": _MATRIX,
    "queries/population.sql": "-- All.\nSELECT queue, id FROM task\n",
    "queries/ready.sql": "-- Free.\nSELECT queue, id FROM task WHERE taken_by IS NULL\n",
    "queries/taken.sql": (
        "-- Taken.\nSELECT queue, id, taken_by, until FROM task WHERE taken_by IS NOT NULL\n"
    ),
    "queries/taken.reclaim.sql": _RECLAIM,
}


def composite(folder: Path, *, verify: bool = False, deletes: bool = False) -> Matrix:
    """The pack; with a verification that always finds something, or an action that deletes."""
    files = dict(_FILES)
    if verify:
        files["queries/taken.verify.sql"] = _VERIFY
    if deletes:
        files["queries/taken.reclaim.sql"] = _DELETE
    return packs.made(folder, files)


def create(database: Database) -> None:
    """The table, in the schema public, open to the operator."""
    database.execute(
        b"CREATE TABLE task (queue text, id text, taken_by text, until timestamptz,"
        b" PRIMARY KEY (queue, id))"
    )
    database.execute(b"GRANT SELECT, UPDATE, DELETE ON task TO aps_operate")


def taken(database: Database, queue: str, number: str) -> None:
    database.execute(
        b"INSERT INTO task (queue, id, taken_by) VALUES (%s, %s, 'w1')", [queue, number]
    )
