"""What other queues need: versions, expressions as tokens, times without a zone, manual actions, schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import agents, cli, leases, shipped
from tests.support.database import Database
from tests.support.shipped import Look

SIGNED = ("--yes", "--reason", "a test")


@pytest.fixture
def look(database: Database, tmp_path: Path) -> Look:
    return leases.create(database, tmp_path)


@pytest.mark.parametrize(
    ("here", "fits"),
    [("3.10.2", True), ("3.10", True), ("4", True), ("3.1", False), ("3.100", False), ("5", False)],
)
def test_a_pack_acts_only_on_the_versions_that_it_is_for(
    database: Database, look: Look, here: str, fits: bool
) -> None:
    database.execute(b"UPDATE lease_version SET version = %s", [here])
    leases.taken(database)
    screen = look.aps("inspect")
    report = look.report()["versions"]
    said = look.aps("reclaim", "j1")
    if fits:
        assert f"version {here}" in screen.stdout
        assert screen.code == said.code + Exit.WARNING == Exit.WARNING
        assert report == {"tried": ["3.10", "4"], "found": here, "fault": None}
    else:
        told = f"is for leases 3.10, 4, and this is {here}"
        assert told in " ".join(screen.stdout.split())
        assert screen.code == Exit.UNDETERMINED
        assert told in report["fault"]
        cli.refused(said, Exit.REFUSED, told, "nothing is acted upon")


def test_a_plan_is_not_applied_after_an_upgrade(
    database: Database, look: Look, tmp_path: Path
) -> None:
    leases.taken(database)
    plan = str(tmp_path / "plan.json")
    look.aps("reclaim", "j1", "--plan-out", plan)
    database.execute(b"UPDATE lease_version SET version = '5'")
    said = look.aps("reclaim", "--plan", plan, *SIGNED)
    assert said.code == Exit.REFUSED
    assert "this is 5" in said.stderr


def test_a_version_that_cannot_be_read_is_not_taken_for_the_right_one(
    database: Database, look: Look
) -> None:
    leases.taken(database)
    database.execute(b"REVOKE SELECT ON lease_version FROM aps_operate")
    screen = look.aps("inspect")
    assert "which one this is could not be read" in " ".join(screen.stdout.split())
    assert screen.code == Exit.UNDETERMINED
    assert look.aps("reclaim", "j1", *SIGNED).code == Exit.REFUSED


def test_versions_that_cannot_be_compared_are_told(database: Database, tmp_path: Path) -> None:
    look = leases.create(database, tmp_path, {"queries/version.sql": ""})
    leases.taken(database)
    assert "for version 3.10 or 4" in look.aps("inspect").stdout
    assert look.report()["versions"] == {"tried": ["3.10", "4"], "found": None, "fault": None}
    assert look.aps("reclaim", "j1").code == Exit.CLEAR


def test_a_token_that_is_an_expression_fences_the_write(
    database: Database, look: Look, tmp_path: Path
) -> None:
    leases.taken(database)
    plan = str(tmp_path / "plan.json")
    look.aps("reclaim", "j1", "--plan-out", plan)
    database.execute(b"UPDATE lease_job SET tries = tries + 1")
    said = look.aps("reclaim", "--plan", plan, *SIGNED)
    assert said.code == Exit.NOTHING_APPLIED
    assert "token " in said.stdout
    assert "still adoption, but not as planned" in " ".join(said.stdout.split())


def test_a_state_in_which_only_age_speaks_is_shown_with_a_question_mark(
    database: Database, look: Look
) -> None:
    leases.taken(database, alive=True)
    assert "live? 1 (oldest 60 min)" in look.aps("inspect").stdout
    page = " ".join(look.aps("inspect", "j1").stdout.split())
    assert "job j1 · live? for 60 min" in page
    assert "alive? only time has passed; a dead worker and a slow one look the same" in page
    leases.taken(database, "j2", "p2")
    page = " ".join(look.aps("inspect", "j2").stdout.split())
    assert "alive? a process wrote when it was alive" in page


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_a_time_without_a_zone_is_utc_whatever_zone_role_and_database_have(
    database: Database, look: Look, zone: str
) -> None:
    database.execute(f"ALTER DATABASE {database.name} SET timezone = '{zone}'".encode())
    leases.taken(database)
    job = look.job("j1")
    assert job["state"] == "adoption"
    assert 3600 <= job["age_seconds"] < 3700
    assert job["since"].endswith("+00:00")
    assert "60 min" in look.aps("inspect", "--state", "adoption").stdout
    assert look.aps("reclaim", "--all", "--older-than", "59 min").code == Exit.CLEAR
    assert look.aps("reclaim", "--all", "--older-than", "62 min").code == Exit.NOTHING_APPLIED
    assert look.aps("reclaim", "j1", *SIGNED).code == Exit.CLEAR
    written = (
        b"SELECT abs(extract(epoch FROM timezone('UTC', now()) - attempted_at)) < 60 FROM lease_job"
    )
    assert database.execute(written) == [(True,)]


def test_the_command_of_a_manual_action_names_the_job_and_nothing_in_it_is_obeyed(
    database: Database, look: Look
) -> None:
    leases.taken(database, "it's; rm -rf {schema}")
    database.execute(b"UPDATE lease_job SET tries = -1")
    job = look.job("it's; rm -rf {schema}")
    command = "leasectl release --id 'it'\"'\"'s; rm -rf {schema}' --why WHY"
    assert (job["permitted"], job["command"]) == (True, command)
    assert command in look.aps("inspect", "it's; rm -rf {schema}").stdout
    said = look.aps("reclaim", "it's; rm -rf {schema}", *SIGNED)
    assert said.code == Exit.REFUSED
    assert "its action is manual: lease-oncall does it" in " ".join(said.stdout.split())


def test_tables_may_lie_in_any_schema(database: Database) -> None:
    shipped.install(database, agents.PACK, 'My "Agents"')
    work = shipped.worker(database, agents.PACK)
    work.connection.execute(b'SET search_path = "My ""Agents"""')
    owner = agents.Agent(work, "w1")
    owner.accept()
    owner.acquire(lease="-1 s")
    cli.refused(Look(database, agents.PACK).aps("inspect"), Exit.DATABASE, "--schema")
    look = Look(database, agents.PACK, 'My "Agents"')
    job = look.job("r-1/2")
    assert job["state"] == "adoption"
    assert "--schema 'My \"Agents\"'" in job["command"]
    said = look.aps("reclaim", "r-1/2", *SIGNED)
    assert said.code == Exit.CLEAR, said
    assert look.job("r-1/2")["state"] == "ready"
