"""A queue whose owners are rows of an UNLOGGED table, whose times have no zone, and whose token is an expression."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.database import Database
from tests.support.shipped import Look

_MATRIX = """\
matrix: 1
system: leases
table: lease_job
key: id
versions: ["3.10", "4"]
fencing: enforced
owner: {team: lease-oncall}
states:
  ready: {means: nobody has it, action: none}
  live_lease:
    means: a worker took it a while ago
    liveness: age
    action: none
  adoption:
    means: its producer is not there
    liveness: heartbeat
    unlogged: 2 s
    severity: {warning: 1, critical: {age: 90 min}}
    action: {run: reclaim, effect: ready again}
    rollback: {criterion: another row changes, irreversible: its token is spent}
  stuck:
    means: only its own tool may touch it
    action: {run: manual, command: "leasectl release --id {id} --why WHY", effect: ready again}
    rollback: {criterion: its tool says so, irreversible: there is none}
absent:
  unconfirmed_materialization: there are no inputs
  orphan_candidate: there are no files
  confirmed_publication: what is done is deleted
  missing_artifact: there are no files
"""
_ROW = "SELECT j.id, (j.attempted_at AT TIME ZONE 'UTC') AS since, md5(j.attempted_at::text || j.tries) AS token"
_PRESENT = "EXISTS (SELECT FROM lease_producer p WHERE p.id = j.producer)"
_FILES = {
    "matrix.yaml": _MATRIX,
    "queries/population.sql": "-- All.\nSELECT id FROM lease_job\n",
    "queries/version.sql": "-- Returns version.\nSELECT version FROM lease_version\n",
    "queries/ready.sql": "-- Free.\nSELECT id FROM lease_job WHERE producer IS NULL\n",
    "queries/live_lease.sql": f"-- Taken.\n{_ROW} FROM lease_job j WHERE tries >= 0 AND {_PRESENT}\n",
    "queries/adoption.sql": (
        f"-- Left.\n{_ROW} FROM lease_job j WHERE producer IS NOT NULL AND tries >= 0 AND NOT {_PRESENT}"
        " AND (j.attempted_at AT TIME ZONE 'UTC') <= %(clock)s - interval '30 min'\n"
    ),
    "queries/stuck.sql": "-- Stuck.\nSELECT id FROM lease_job WHERE producer IS NOT NULL AND tries < 0\n",
    "queries/adoption.reclaim.sql": (
        "-- Returns id.\nUPDATE lease_job SET producer = NULL, attempted_at = %(clock)s\n"
        " WHERE id = ANY (%(id)s::text[]) RETURNING id\n"
    ),
}
_TABLES = b"""
CREATE TABLE lease_version (version text);
INSERT INTO lease_version VALUES ('3.10.2');
CREATE TABLE lease_job (id text PRIMARY KEY, producer text, attempted_at timestamp, tries integer NOT NULL DEFAULT 1);
CREATE UNLOGGED TABLE lease_producer (id text PRIMARY KEY);
GRANT SELECT, UPDATE ON lease_job TO aps_operate;
GRANT SELECT ON lease_version, lease_producer TO aps_operate;
"""
_NOTHING: Mapping[str, str] = {}


def create(database: Database, folder: Path, changed: Mapping[str, str] = _NOTHING) -> Look:
    """The tables and the pack, with these texts of its matrix replaced; a file whose text is empty is left out."""
    database.execute(_TABLES)
    for name, text in _FILES.items():
        for old, new in changed.items():
            text = text.replace(old, new) if name == "matrix.yaml" else text
        if changed.get(name) != "":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    return Look(database, str(folder))


def taken(
    database: Database, job: str = "j1", producer: str = "p1", *, alive: bool = False
) -> None:
    """Taken an hour ago, as a client writes who keeps UTC in a column without a zone."""
    database.execute(
        b"INSERT INTO lease_job VALUES (%s, %s, timezone('UTC', now()) - interval '1 h')",
        [job, producer],
    )
    if alive:
        present(database, producer)


def present(database: Database, producer: str = "p1") -> None:
    database.execute(b"INSERT INTO lease_producer VALUES (%s)", [producer])
