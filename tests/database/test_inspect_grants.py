"""A role that may not read everything learns what it may not, what would change that, and all the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from psycopg import sql

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

NEED_ATTEMPTS = {
    "unconfirmed_materialization",
    "ready",
    "live_lease",
    "adoption",
    "poisoned",
    "inconsistent_row",
    "orphan_candidate",
    "stray_file",
    "repeat_abandonment",
    "lease_flapping",
}


def inspect(database: Database, role: str, *words: str) -> tuple[int, dict[str, Any]]:
    said = cli.call("inspect", *words, "--format", "json", "--dsn", database.dsn(role))
    assert said.stderr == "", said
    return said.code, json.loads(said.stdout)


def states(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {found["state"]: found for found in report["states"]}


def no_attempts(database: Database) -> str:
    return trouble.role(database, "USAGE ON SCHEMA aps", "SELECT ON aps.job", "SELECT ON aps.event")


def test_a_missing_grant_makes_its_states_undetermined_and_names_itself(database: Database) -> None:
    trouble.abandoned(database)
    role = no_attempts(database)
    code, report = inspect(database, role)
    assert code == report["exit_code"] == Exit.UNDETERMINED
    found = states(report)
    unread = {name for name, state in found.items() if state["verdict"] == "undetermined"}
    assert unread == NEED_ATTEMPTS | {"conflict", "unclassified"}
    for name in NEED_ATTEMPTS:
        assert found[name]["error"].endswith(f'GRANT SELECT ON aps.attempt TO "{role}"')


def test_what_could_not_be_read_is_never_counted_as_zero(database: Database) -> None:
    trouble.abandoned(database)
    _, report = inspect(database, no_attempts(database))
    for state in report["states"]:
        if state["verdict"] == "undetermined":
            assert (state["jobs"], state["items"], state["locked"]) == (None, None, None)
            assert state["severity"] is None


def test_the_states_that_can_be_read_are_still_told(database: Database) -> None:
    trouble.abandoned(database)
    trouble.published(database)
    _, report = inspect(database, no_attempts(database))
    found = states(report)
    assert (found["confirmed_publication"]["verdict"], found["confirmed_publication"]["jobs"]) == (
        "found",
        1,
    )
    assert found["rejected_result"]["verdict"] == "clear"


def test_the_grant_that_is_named_is_the_one_that_helps(database: Database) -> None:
    trouble.abandoned(database)
    role = no_attempts(database)
    _, report = inspect(database, role)
    grant = states(report)["adoption"]["error"].rpartition(": ")[2]
    database.execute(sql.SQL(grant))
    code, report = inspect(database, role)
    assert code == Exit.WARNING
    assert states(report)["adoption"]["jobs"] == 1


def test_without_the_schema_every_state_names_it_and_nothing_is_certain(database: Database) -> None:
    job = trouble.abandoned(database)
    role = trouble.role(database)
    code, report = inspect(database, role)
    assert code == Exit.UNDETERMINED
    assert {state["verdict"] for state in report["states"]} == {"undetermined"}
    assert f'GRANT USAGE ON SCHEMA aps TO "{role}"' in states(report)["ready"]["error"]
    code, report = inspect(database, role, job)
    assert code == Exit.UNDETERMINED
    assert [(one["state"], one["permitted"]) for one in report["jobs"]] == [("undetermined", False)]


def test_a_job_of_unread_states_is_undetermined_and_nothing_is_done_to_it(
    database: Database,
) -> None:
    job = trouble.abandoned(database)
    dsn = database.dsn(no_attempts(database))
    shown = cli.call("inspect", job, "--dsn", dsn)
    assert shown.code == Exit.UNDETERMINED
    assert "GRANT SELECT ON aps.attempt TO" in " ".join(shown.stdout.split())
    assert cli.call("reclaim", job, "--dsn", dsn).code == Exit.NOTHING_APPLIED
    cli.refused(cli.call("reclaim", "--all", "--state", "adoption", "--dsn", dsn), 25, "GRANT")
    database.execute(b"GRANT aps_operate TO aps_read")
    try:
        said = cli.call("reclaim", job, "--yes", "--reason", "test", "--dsn", dsn)
    finally:
        database.execute(b"REVOKE aps_operate FROM aps_read")
    assert said.code == Exit.REFUSED
    assert database.execute(b"SELECT state, epoch FROM aps.job") == [("running", 1)]


def test_an_overlay_that_cannot_be_read_leaves_doubt_about_a_named_job(database: Database) -> None:
    job = trouble.ready(database)
    role = trouble.role(
        database, "USAGE ON SCHEMA aps", "SELECT ON aps.job", "SELECT ON aps.attempt"
    )
    code, report = inspect(database, role, job)
    assert code == Exit.UNDETERMINED
    assert report["jobs"][0]["state"] == "ready"
    unread = [state["state"] for state in report["states"]]
    assert sorted(unread) == ["lease_flapping", "rejected_result"]


def test_one_missing_grant_is_told_once_on_the_screen(database: Database) -> None:
    said = cli.call("inspect", "--dsn", database.dsn(no_attempts(database)))
    words = " ".join(said.stdout.split())
    assert words.count("GRANT SELECT ON aps.attempt") == 1
    assert "ready, live lease, adoption" in words


def test_the_journal_names_what_it_needs(database: Database) -> None:
    role = trouble.role(database)
    words = (("log",), ("log", "abcd"))
    for asked in words:
        said = cli.call(*asked, "--dsn", database.dsn(role))
        cli.refused(said, Exit.REFUSED, f"as {role}: permission denied for schema aps_journal")
    given = said.stderr.partition(": GRANT ")[2].strip()
    database.execute(f"GRANT {given}".encode())
    assert cli.call("log", "--dsn", database.dsn(role)).code == 0


def test_an_apply_without_the_right_to_the_journal_names_the_grant_that_gives_it(
    database: Database,
) -> None:
    job = trouble.abandoned(database)
    reads = ("USAGE ON SCHEMA aps", "SELECT ON ALL TABLES IN SCHEMA aps")
    role = trouble.role(database, *reads)
    words = ("reclaim", job, "--yes", "--reason", "x", "--dsn", database.dsn(role))
    for _ in ("not read", "not written"):
        cli.refused(cli.call(*words), Exit.REFUSED, f'GRANT aps_operate TO "{role}"')
        database.execute(f'GRANT aps_read TO "{role}"'.encode())
    database.execute(f'GRANT aps_operate TO "{role}"'.encode())
    assert cli.call(*words).code == 0


def test_a_grant_on_quoted_names_is_told_as_it_is_typed(database: Database, tmp_path: Path) -> None:
    """Each that is told is given; the last look reads all."""
    database.execute(b'CREATE SCHEMA "Lab Ops"')
    database.execute(
        b'CREATE TABLE "Lab Ops"."Assay Run" (id int PRIMARY KEY, state text NOT NULL CHECK'
        b" (state IN ('ready', 'processing', 'done')))"
    )
    role = trouble.role(database)
    dsn = database.dsn("postgres")
    pack = str(tmp_path / "assay")
    made = cli.call("matrix", "new", pack, "--table", "Lab Ops.Assay Run", "--dsn", dsn)
    assert made.code == 0, made
    told = []
    for _ in range(2):
        code, report = inspect(database, role, "--pack", pack)
        assert code == Exit.UNDETERMINED
        error = states(report)["ready"]["error"]
        told.append(error[error.index("GRANT ") :])
        database.execute(told[-1].encode())
    assert told == [
        f'GRANT USAGE ON SCHEMA "Lab Ops" TO "{role}"',
        f'GRANT SELECT ON "Lab Ops"."Assay Run" TO "{role}"',
    ]
    assert inspect(database, role, "--pack", pack)[0] == Exit.CLEAR
