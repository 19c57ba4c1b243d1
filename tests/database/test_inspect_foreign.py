"""A queue that aps did not make, with names, keys and times as odd as PostgreSQL allows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from aps.exits import Exit
from tests.support import cli
from tests.support.database import Database

MATRIX = """\
matrix: 1
system: chores
table: chore
key: [queue, at]
fencing: enforced
owner: {team: chores}
states:
  ready: {means: nobody took it, action: none}
  adoption:
    means: somebody took it
    severity: {warning: 1}
    action: {run: reclaim, effect: ready again}
    rollback: {criterion: none, irreversible: there is no generation}
absent:
  unconfirmed_materialization: no input
  live_lease: no lease
  orphan_candidate: no files
  confirmed_publication: no result
  missing_artifact: no files
"""
ODD = "'x' AS e, 'y' AS q, 'z' AS t, 'NaN'::float8 AS \"a \"\"%%b\", '\\x00ff'::bytea AS bytes, ARRAY[1, 2] AS list"
QUERIES = {
    "population": "SELECT queue, at FROM chore",
    "ready": f"SELECT queue, at, 'infinity'::timestamptz AS since, {ODD} FROM chore WHERE taken IS NULL",
    "adoption": f"SELECT queue, at, taken AS since, taken, {ODD} FROM chore WHERE taken IS NOT NULL",
    "adoption.reclaim": """\
UPDATE chore SET taken = NULL FROM unnest(%(queue)s::text[], %(at)s::timestamptz[]) AS k (queue, at)
 WHERE chore.queue = k.queue AND chore.at = k.at RETURNING chore.queue, chore.at""",
}
HARD_NAMES = ("a/b%c", "-x", "--yes", "", "é;'\" $(x)", "\x1b[31m\u202e")


@pytest.fixture
def here(database: Database, tmp_path: Path) -> tuple[str, ...]:
    """The words that reach an empty table of chores through its pack."""
    (tmp_path / "queries").mkdir()
    (tmp_path / "matrix.yaml").write_text(MATRIX, encoding="utf-8")
    for name, text in QUERIES.items():
        (tmp_path / "queries" / f"{name}.sql").write_text(f"-- Made.\n{text}\n", encoding="utf-8")
    database.execute(
        b"CREATE TABLE chore (queue text, at timestamptz, taken timestamptz, t text, PRIMARY KEY (queue, at))"
    )
    database.execute(b"GRANT SELECT, UPDATE ON chore TO aps_operate")
    return ("--pack", str(tmp_path), "--dsn", database.dsn())


def add(database: Database, name: str, at: str, *, taken: bool = True) -> None:
    database.execute(
        b"INSERT INTO chore VALUES (%s, %s, CASE WHEN %s THEN now() END)", [name, at, taken]
    )


def report(here: tuple[str, ...], *words: str) -> dict[str, Any]:
    said = cli.call("inspect", *here, "--format", "json", *words)
    assert said.stderr == "", said
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_columns_may_be_called_anything(database: Database, here: tuple[str, ...]) -> None:
    add(database, "a", "2026-01-01Z")
    job = report(here, "--state", "adoption")["jobs"][0]
    evidence = job["evidence"]["adoption"][0]
    assert (evidence["e"], evidence["q"], evidence["t"]) == ("x", "y", "z")
    assert (evidence['a "%b'], evidence["bytes"]) == ("NaN", r"\x00ff")
    assert len(report(here, "--state", "adoption", "--where", "e=x")["jobs"]) == 1
    assert len(report(here, "--state", "adoption", "--where", 'a "%b=NaN')["jobs"]) == 1


def test_an_infinite_time_is_an_age_that_nobody_knows(
    database: Database, here: tuple[str, ...]
) -> None:
    add(database, "a", "infinity", taken=False)
    found = report(here)
    ready = next(state for state in found["states"] if state["state"] == "ready")
    assert (ready["verdict"], ready["jobs"], ready["oldest_seconds"]) == ("found", 1, None)
    job = report(here, "a/infinity")["jobs"][0]
    assert (job["state"], job["since"], job["age_seconds"]) == ("ready", None, None)


@pytest.mark.parametrize("name", HARD_NAMES)
def test_the_printed_command_reaches_the_job_whatever_it_is_called(
    database: Database, here: tuple[str, ...], name: str
) -> None:
    add(database, name, "2026-01-01 00:00:00.5Z")
    add(database, "another", "2026-01-01Z")
    jobs = report(here, "--state", "adoption")["jobs"]
    job = next(job for job in jobs if job["evidence"]["adoption"][0]["queue"] == name)
    words = shlex.split(job["command"])
    assert words[:2] == ["aps", "reclaim"]
    said = cli.call("reclaim", "--yes", "--reason", "x", "--dsn", database.dsn(), *words[2:])
    assert said.code == Exit.CLEAR, said
    left = database.execute(b"SELECT queue FROM chore WHERE taken IS NOT NULL")
    assert left == [("another",)]


def test_the_log_that_an_apply_names_can_be_asked_for(
    database: Database, here: tuple[str, ...]
) -> None:
    add(database, "a", "2026-01-01Z")
    said = cli.call("reclaim", "a/2026-01-01Z", "--yes", "--reason", "x", *here)
    line = next(line for line in said.stdout.splitlines() if line.startswith("log:"))
    words = shlex.split(line.removeprefix("log:"))
    shown = cli.call(*words[1:], "--dsn", database.dsn())
    assert (shown.code, shown.stderr) == (Exit.CLEAR, "")
    assert "a/2026-01-01 00:00:00+00" in shown.stdout


def test_a_row_that_is_no_job_is_not_taken_for_one(
    database: Database, here: tuple[str, ...]
) -> None:
    add(database, "a", "2026-01-01Z", taken=False)
    pack = Path(here[1])
    keyless = "-- Made.\nSELECT NULL::text AS queue, NULL::timestamptz AS at FROM chore\n"
    for name in ("ready", "adoption", "population"):
        (pack / "queries" / f"{name}.sql").write_text(keyless, encoding="utf-8")
    for words in ((), ("--state", "ready"), ("--state", "adoption")):
        assert report(here, *words)["jobs"] == []
    said = cli.call("reclaim", "--all", "--state", "adoption", *here)
    assert said.code == Exit.NOTHING_APPLIED
