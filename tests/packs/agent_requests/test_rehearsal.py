"""The rehearsal of system 3: an owner is killed, another recovers, the old result comes late, the current counts."""

from __future__ import annotations

import shlex

import pytest

from aps.exits import Exit
from tests.support import cli, shipped
from tests.support.agents import PACK, agent, ends, events, overdue, owned, row
from tests.support.database import Database
from tests.support.shipped import Look

SIGNED = ("--yes", "--reason", "its worker was lost")
JOB = "r-1/2"


@pytest.fixture
def look(database: Database) -> Look:
    shipped.install(database, PACK)
    return Look(database, PACK)


def test_the_rehearsal(database: Database, look: Look) -> None:
    agent(database, "caller").accept()
    bound = {"request": "r-1", "step": 2, "worker": "w1", "lease": "10 min"}
    with shipped.process(database, PACK, "acquire", **bound) as (owner, answer):
        assert (answer["answer"], answer["version"]) == ("acquired", 1)
        assert agent(database, "w2").acquire()["answer"] == "refused"
        assert look.found() == {"live_lease": 1}
        owner.kill()
        owner.wait()
    assert look.found() == {"live_lease": 1}, "a killed worker changes nothing"
    overdue(database)
    assert look.job(JOB)["state"] == "adoption"

    second = agent(database, "w2")
    assert second.acquire()["answer"] == "recovered"
    assert ends(database) == [(1, "w1", "vanished"), (2, "w2", None)]

    late = agent(database, "w1")
    assert late.complete(1, "what the dead one had found") == "rejected"
    assert row(database) == ("owned", 2, None)
    assert events(database, "rejected") == [
        (1, "w1", "result refused, version 2 stands: what the dead one had found")
    ]
    assert look.job(JOB)["overlays"] == ["rejected_result"]

    assert second.complete(2, "what is right") == "completed"
    assert row(database) == ("done", 2, "what is right")
    assert look.found() == {"confirmed_publication": 1, "rejected_result": 1}


def test_an_operator_reclaims_what_no_worker_recovers(database: Database, look: Look) -> None:
    late = owned(database)
    overdue(database)
    screen = look.aps("inspect")
    assert screen.code == Exit.WARNING
    assert "aps reclaim r-1/2 --pack agent-requests" in screen.stdout
    plan = look.aps("reclaim", JOB)
    assert plan.stdout.split("\n\n")[1].splitlines()[0].split() == [
        *("JOB", "WORKER", "VERSION", "EXPIRES", "AT", "VANISHED")
    ]
    said = look.aps("reclaim", JOB, *SIGNED)
    assert said.code == Exit.CLEAR, said
    assert "version 1 -> 2" in said.stdout
    assert row(database) == ("open", 2, None)
    assert ends(database) == [(1, "w1", "vanished")]
    assert late.complete(1) == "rejected"
    assert agent(database, "w2").acquire()["version"] == 3


def test_an_ownership_whose_time_has_not_run_out_is_not_reclaimed(
    database: Database, look: Look
) -> None:
    owned(database)
    said = look.aps("reclaim", JOB, *SIGNED)
    assert said.code == Exit.REFUSED
    assert row(database) == ("owned", 1, None)


def test_a_key_is_written_in_one_way_whatever_is_in_it(database: Database, look: Look) -> None:
    for request in ("a/b%c", "-x", "it's", "r 1"):
        caller = agent(database, "w1")
        caller.accept(request, 7)
        caller.acquire(request, 7)
    overdue(database)
    for job in look.report()["jobs"]:
        request = job["evidence"]["adoption"][0]["request"]
        assert job["job"] == f"{request.replace('%', '%25').replace('/', '%2F')}/7"
        words = shlex.split(job["command"])
        assert words[:2] == ["aps", "reclaim"]
        said = cli.call("reclaim", *SIGNED, *words[2:])
        assert said.code == Exit.CLEAR, said
    assert look.found() == {"ready": 4}
    cli.refused(look.aps("inspect", "r 1,7"), Exit.NO_SUCH_JOB, "request/step", "step (integer)")
    cli.refused(look.aps("inspect", "r 1/x"), Exit.NO_SUCH_JOB, "request/step")
    assert look.job("r 1/07")["job"] == "r 1/7", "as the server writes it"


def test_an_uncertain_external_write_is_settled_by_hand_and_by_nobody_else(
    database: Database, look: Look
) -> None:
    late = owned(database)
    late.begin(1)
    overdue(database)
    job = look.job(JOB)
    assert job["state"] == "uncertain_external_write"
    assert " -v schema=public -v request=r-1 -v step=2 " in job["command"]
    # It goes where aps looked, wherever libpq's own variables point.
    assert f"dbname={database.name}" in job["command"]
    page = " ".join(look.aps("inspect", JOB).stdout.split())
    assert "crm-oncall" in page
    assert "where no row is printed, nothing was settled" in page
    assert f"aps inspect {JOB}" in look.aps("inspect").stdout
    said = look.aps("reclaim", JOB, *SIGNED)
    assert said.code == Exit.REFUSED
    told = " ".join(said.stdout.split())
    assert "its action is manual: crm-oncall does it with the queue's own command, which" in told
    bulk = look.aps("reclaim", "--all", "--state", "uncertain_external_write")
    cli.refused(bulk, Exit.REFUSED, "manual", "crm-oncall")
    assert row(database) == ("owned", 1, None)

    settle = b"SELECT * FROM agent_settle('r-1', 2, %s, true, 'record 4711 of the CRM')"
    assert database.execute(settle, ["another"]) == []
    assert database.execute(settle, ["op-7"]) == [("r-1", 2, 2)]
    assert look.job(JOB)["state"] == "ready"
    assert ends(database) == [(1, "w1", "vanished")]
    assert late.end(1, True) == "rejected"
    assert "op-7 happened: record 4711 of the CRM" in look.aps("inspect", JOB).stdout
    assert agent(database, "w2").acquire()["version"] == 3


def test_a_worker_in_time_is_not_settled_past(database: Database, look: Look) -> None:
    owned(database).begin(1)
    assert look.job(JOB)["state"] == "live_lease"
    assert database.execute(b"SELECT * FROM agent_settle('r-1', 2, 'op-7', true, 'x')") == []


def test_a_key_whose_owner_vanishes_repeatedly_is_an_alert(database: Database, look: Look) -> None:
    owned(database)
    for name in ("w2", "w3"):
        assert "repeat_vanishing" not in look.job(JOB)["overlays"]
        overdue(database)
        agent(database, name).acquire()
    assert look.job(JOB)["overlays"] == ["repeat_vanishing"]
    screen = look.aps("inspect")
    assert screen.code == Exit.WARNING
    assert "owners vanish" in screen.stdout
    assert "agent-dev" in screen.stdout
    assert "Look at the cause first. A longer lease hides it" in " ".join(
        look.aps("inspect", JOB).stdout.split()
    )
    assert look.aps("inspect", "--set", "vanishing_limit=3").code == Exit.CLEAR


def test_the_views_show_the_window_before_beside_the_last(database: Database, look: Look) -> None:
    owned(database)
    for name in ("w2", "w3", "w4"):
        overdue(database)
        agent(database, name).acquire()
    overdue(database)
    for version in (1, 2):
        agent(database, "w1").complete(version)
    # One of each lies in the day before.
    database.execute(b"ALTER TABLE agent_event DISABLE TRIGGER agent_guard_event")
    database.execute(
        b"UPDATE agent_event SET at = at - interval '30 h' WHERE event_id IN"
        b" (SELECT min(event_id) FROM agent_event WHERE kind IN ('recovered', 'rejected') GROUP BY kind)"
    )
    database.execute(
        b"UPDATE agent_ownership SET ended_at = ended_at - interval '30 h' WHERE version = 1"
    )

    def windows(view: str) -> list[tuple[int, int]]:
        rows = database.execute(f"SELECT last_24_h, previous_24_h FROM {view}".encode())
        return [(one[0], one[1]) for one in rows]

    assert windows("agent_recoveries") == [(2, 1)]
    assert windows("agent_rejected_result") == [(1, 1)]
    assert windows("agent_repeatedly_vanished") == [(2, 1)]
    assert windows("agent_overdue_ownership") == [(1, 0)]
    evidence = look.job(JOB)["evidence"]["repeat_vanishing"][0]
    assert (evidence["vanished"], evidence["previous_window"]) == ("2", "1")
