"""Evidence from an UNLOGGED table, which a crash empties: absence is believed when it was seen twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps import matrix
from aps.demo.binaries import Binaries
from aps.errors import Refused
from aps.exits import Exit
from tests.support import leases
from tests.support.database import Database, Server
from tests.support.operating import operator

SIGNED = ("--yes", "--reason", "a test")


def standing(database: Database) -> str | None:
    rows = database.execute(b"SELECT producer FROM lease_job WHERE id = 'j1'")
    producer: str | None = rows[0][0]
    return producer


def test_a_plan_that_saw_once_is_refused_until_its_time_has_come(
    database: Database, tmp_path: Path
) -> None:
    look = leases.create(database, tmp_path, {"unlogged: 2 s": "unlogged: 10 min"})
    leases.taken(database)
    screen = look.aps("reclaim", "j1")
    assert "seen once:    on an UNLOGGED table" in screen.stdout
    assert "10 min after this plan" in " ".join(screen.stdout.split())
    page = " ".join(look.aps("inspect", "j1").stdout.split())
    assert "seen once its evidence comes from an UNLOGGED table, which a crash empties" in page
    over = operator(database, matrix.load(tmp_path))
    plan = over.plan("j1")
    with pytest.raises(Refused, match="seen once so far, apply this plan in 600 s or later"):
        over.apply(plan)
    assert standing(database) == "p1"


def test_an_apply_waits_for_the_second_sighting_and_says_so(
    database: Database, tmp_path: Path
) -> None:
    look = leases.create(database, tmp_path)
    leases.taken(database)
    started = time.monotonic()
    said = look.aps("reclaim", "j1", *SIGNED)
    assert said.code == Exit.CLEAR, said
    assert time.monotonic() - started >= 1.5
    assert "looking a second time in 2 s" in said.stderr
    assert standing(database) is None


def test_a_producer_that_is_back_by_the_second_sighting_keeps_its_job(
    database: Database, tmp_path: Path
) -> None:
    look = leases.create(database, tmp_path)
    leases.taken(database)
    plan = str(tmp_path / "plan.json")
    assert look.aps("reclaim", "j1", "--plan-out", plan).code == Exit.CLEAR
    leases.present(database)
    said = look.aps("reclaim", "--plan", plan, *SIGNED)
    assert said.code == Exit.NOTHING_APPLIED
    assert "live? now" in said.stdout
    assert standing(database) == "p1"


@pytest.mark.one_server
@pytest.mark.parametrize(("apart", "why"), [("15 min", "expires"), ("0 s", "longer than zero")])
def test_a_time_between_sightings_that_no_plan_can_keep_is_a_fault(
    database: Database, tmp_path: Path, apart: str, why: str
) -> None:
    look = leases.create(database, tmp_path, {"unlogged: 2 s": f"unlogged: {apart}"})
    said = look.aps("inspect")
    assert said.code == Exit.MATRIX
    assert "matrix.yaml:" in said.stderr
    assert why in said.stderr


@pytest.fixture(scope="module")
def own(binaries: Binaries) -> Iterator[Server]:
    """A server that this test may crash."""
    server = Server(binaries)
    yield server
    server.stop()


@pytest.mark.one_server
def test_a_crash_empties_the_table_and_a_live_producer_that_returns_keeps_its_job(
    own: Server, tmp_path: Path
) -> None:
    with own.database() as database:
        look = leases.create(database, tmp_path)
        leases.taken(database, alive=True)
        assert look.job("j1")["state"] == "live_lease"
        own.cluster.crash()
        own.cluster.restart()
        assert look.job("j1")["state"] == "adoption", "false evidence, as the crash left it"
        plan = str(tmp_path / "plan.json")
        look.aps("reclaim", "j1", "--plan-out", plan)
        leases.present(database)
        assert look.aps("reclaim", "--plan", plan, *SIGNED).code == Exit.NOTHING_APPLIED
        assert standing(database) == "p1"
