"""Who may reconcile and where: what a role, a journal or a server does not permit costs no file and no row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.demo.binaries import Binaries
from aps.exits import Exit
from tests.support import cli
from tests.support.acting import (
    YES,
    done,
    files,
    open_intents,
    outcomes,
    typed,
    untouched,
)
from tests.support.artifacts import Artifacts
from tests.support.database import Database, Server

pytestmark = pytest.mark.one_server

VALID = b"SELECT job_id FROM aps.valid_result"


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def three(held: Artifacts) -> tuple[int, int, int]:
    """An orphan's job, a publication without its file, an input that may be confirmed."""
    orphan, _ = held.orphan()
    missing, file = held.published("missing")
    file.unlink()
    waiting, name = held.waiting()
    held.write(name)
    return orphan, missing, waiting


def test_who_may_only_look_sees_the_plan_and_is_told_the_grant(held: Artifacts) -> None:
    jobs = three(held)
    stands = files(held)
    for job in jobs:
        assert typed(held, "reconcile", str(job), role="aps_read").code == Exit.CLEAR
        said = typed(held, "reconcile", str(job), *YES, role="aps_read")
        cli.refused(said, Exit.REFUSED, "aps_read may not", "GRANT aps_operate TO aps_read")
    assert untouched(held, stands)


@pytest.mark.parametrize(
    ("revoked", "acts"),
    [
        ("UPDATE (withdrawn_at) ON aps.job", "missing"),
        ("INSERT (detail) ON aps.event", "rows"),
        ("UPDATE (ended_at, ended_as) ON aps.attempt", None),
        (
            "UPDATE (state, worker, epoch, lease_until, candidate, reason, withdrawn_at, ready_at,"
            " updated_at, finished_at) ON aps.job",
            "all",
        ),
    ],
)
def test_without_a_grant_its_jobs_fail_with_the_servers_words(
    held: Artifacts, revoked: str, acts: str | None
) -> None:
    orphan, missing, waiting = three(held)
    stands = files(held)
    held.database.execute(f"REVOKE {revoked} FROM aps_operate".encode())
    failing = {
        "missing": [missing],
        "rows": [missing, waiting],
        "all": [orphan, missing, waiting],
        None: [],
    }[acts]
    for job in (orphan, missing, waiting):
        told = done(held, "reconcile", str(job))
        (row,) = told["rows"]
        if job in failing:
            assert (row["outcome"], told["exit_code"]) == ("failed", Exit.ROW_FAILED), row
            assert "permission denied" in row["detail"]
            assert "42501" in row["detail"]
        else:
            assert row["outcome"] == "applied"
    assert open_intents(held) == 0
    if acts == "all":
        assert untouched(held, stands)
    assert held.database.execute(VALID) == ([(missing,)] if missing in failing else [])


def test_where_the_journal_may_not_be_written_nothing_is_done(held: Artifacts) -> None:
    jobs = three(held)
    stands = files(held)
    held.database.execute(b"REVOKE INSERT ON aps_journal.entry FROM aps_operate")
    for job in jobs:
        said = typed(held, "reconcile", str(job), *YES)
        cli.refused(said, Exit.REFUSED, "may not write the journal", "GRANT aps_operate")
    assert untouched(held, stands)


def test_without_a_journal_nothing_is_done(held: Artifacts) -> None:
    jobs = three(held)
    stands = files(held)
    held.database.execute(b"DROP SCHEMA aps_journal CASCADE")
    for job in jobs:
        assert typed(held, "reconcile", str(job)).code == Exit.CLEAR
        cli.refused(typed(held, "reconcile", str(job), *YES), Exit.REFUSED, "aps init")
    cli.refused(typed(held, "undo", "0000"), Exit.REFUSED, "aps init")
    assert files(held) == stands
    assert held.database.execute(VALID) == [(jobs[1],)]


@pytest.fixture
def alone(binaries: Binaries) -> Iterator[Database]:
    """A database on a server of its own, which may become a standby."""
    server = Server(binaries)
    try:
        with server.database() as database:
            yield database
            (database.cluster.folder / "standby.signal").unlink(missing_ok=True)
            database.cluster.restart()
    finally:
        server.stop()


@pytest.mark.slow
def test_on_a_standby_nothing_is_done(alone: Database, tmp_path: Path) -> None:
    held = Artifacts.bound(alone, tmp_path / "store")
    orphan, missing, waiting = three(held)
    moved = done(held, "reconcile", str(orphan))
    assert outcomes(moved).popitem()[1] == "applied"
    stands = files(held)
    alone.close()
    (alone.cluster.folder / "standby.signal").touch()
    alone.cluster.restart()
    for words in (
        ("reconcile", str(missing)),
        ("reconcile", str(waiting)),
        ("undo", moved["operation"]),
    ):
        for end in ((), YES):
            cli.refused(typed(held, *words, *end), Exit.REFUSED, "standby", "on the primary")
    assert files(held) == stands
    assert logged(held) == [moved["operation"]]


def logged(held: Artifacts) -> list[str]:
    """What may be read on a standby too."""
    said = typed(held, "log", "--format", "json")
    assert said.code == Exit.CLEAR, said
    return [one["operation"] for one in json.loads(said.stdout)["operations"]]
