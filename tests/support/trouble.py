"""Jobs in trouble, made by the worker's own statements; and packs to look at them wrongly."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from psycopg import sql

from aps import packs
from tests.support.database import Database
from tests.support.queue import queue


def abandoned(database: Database, key: str = "a", worker: str = "w1", ago: str = "1 min") -> str:
    """A job whose lease ran out so long ago."""
    worked = queue(database)
    worked.accept(key)
    claimed = worked.claim(worker, f"-{ago}")
    assert claimed
    return str(claimed["job_id"])


def leased(database: Database, key: str = "l") -> str:
    """A job under a live lease."""
    return str(queue(database).claimed("w9", "10 min", key)["job_id"])


def ready(database: Database, key: str = "r") -> str:
    return str(queue(database).accept(key)["job_id"])


def published(database: Database, key: str = "p") -> str:
    worked = queue(database)
    claimed = worked.claimed("w8", key=key)
    assert worked.publish(claimed["job_id"], "w8", claimed["epoch"])
    return str(claimed["job_id"])


def paused(database: Database) -> str:
    """A job in a state that nobody thought of."""
    job = ready(database, "paused")
    database.execute(b"ALTER TABLE aps.job DROP CONSTRAINT state_known")
    database.execute(b"UPDATE aps.job SET state = 'paused' WHERE job_id = %s", [job])
    return job


def pack(folder: Path, changed: Mapping[str, str], matrix: Mapping[str, str] | None = None) -> str:
    """A copy of the reference pack with other queries, by state, and other words in its matrix."""
    copy = folder / "pack"
    copy.mkdir()
    shutil.copytree(packs.HOME / "queries", copy / "queries")
    text = (packs.HOME / packs.FILE).read_text(encoding="utf-8")
    for old, new in (matrix or {}).items():
        assert text.count(old) == 1, f"{old!r} must stand once in the matrix"
        text = text.replace(old, new)
    (copy / packs.FILE).write_text(text, encoding="utf-8")
    for name, statement in changed.items():
        (copy / "queries" / f"{name}.sql").write_text(f"-- Changed.\n{statement}\n", "utf-8")
    return str(copy)


def role(database: Database, *grants: str) -> str:
    """A role of this test alone that may log in and has these grants, each a text without its grantee."""
    name = f"{database.name}-watcher"
    made = sql.Identifier(name)
    database.execute(sql.SQL("CREATE ROLE {} LOGIN").format(made))
    for grant in grants:
        database.execute(sql.SQL("GRANT {} TO {}").format(sql.SQL(grant), made))
    return name


_ERRANDS = {
    "matrix.yaml": """\
matrix: 1
system: errands
table: errand
key: name
fencing: none
owner: {team: errands}
states:
  ready: {means: nobody took it, action: none}
  adoption:
    means: somebody took it
    severity: {warning: 1}
    action: {run: reclaim, attest: all-workers-stopped, effect: ready again}
    rollback: {criterion: none, irreversible: there is no generation}
absent:
  unconfirmed_materialization: no input
  live_lease: no lease
  orphan_candidate: no files
  confirmed_publication: no result
  missing_artifact: no files
""",
    "queries/population.sql": "-- All.\nSELECT name FROM errand\n",
    "queries/ready.sql": "-- Ready.\nSELECT name FROM errand WHERE taken_at IS NULL\n",
    "queries/adoption.sql": """\
-- Taken.
SELECT name, taken_at AS since, taken_at FROM errand WHERE taken_at IS NOT NULL
""",
    "queries/adoption.reclaim.sql": """\
-- Back. Returns name.
UPDATE errand SET taken_at = NULL WHERE name = ANY (%(name)s::text[]) RETURNING name
""",
}


def errands(folder: Path) -> str:
    """A small foreign queue: `errand (name text, taken_at timestamptz)`, without a fence and without a schema."""
    pack = folder / "errands"
    for name, text in _ERRANDS.items():
        file = pack / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return str(pack)
