"""On a real streaming standby: what is told, what stays undetermined, and that nothing is done there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aps import database as sessions
from aps import snapshot
from aps.exits import Exit
from aps.model.report import Lag
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.looking import connect, reference
from tests.support.sessions import in_background
from tests.support.standby import Standby
from tests.support.watching import eventually

pytestmark = pytest.mark.slow

LEASED = {"live_lease", "adoption", "poisoned", "no_progress", "cancelled_still_leased"}
CONFLICTS = b"SELECT confl_snapshot FROM pg_stat_database_conflicts WHERE datname = %s"
SLEEPS = "SELECT job_id, ready_at AS since FROM aps.job WHERE state = 'ready' AND pg_sleep(0.4) IS NOT NULL"


def lag(here: Database, role: str = "aps_read") -> Lag:
    with connect(here, role) as session, session.look():
        found = session.probe().lag
    assert found
    return found


def inspect(here: Database, *words: str) -> tuple[int, dict[str, Any]]:
    said = cli.call("inspect", *words, "--format", "json", "--dsn", here.dsn("aps_read"))
    assert said.stderr == "", said
    return said.code, json.loads(said.stdout)


def head(here: Database, role: str = "aps_read") -> str:
    said = cli.call("inspect", "--dsn", here.dsn(role))
    return " ".join(said.stdout.partition("\n\n")[0].split())


def vacuumed(database: Database) -> None:
    """Rows that a snapshot of a moment ago still sees are cleaned away."""
    database.execute(b"UPDATE aps.job SET reason = reason")
    database.execute(b"VACUUM aps.job")


def vacuumed_once_asleep(database: Database, here: Database) -> bool:
    """In the middle of a query that sleeps there."""
    asleep = b"SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    met = eventually(lambda: here.execute(asleep) == [(1,)])
    vacuumed(database)
    return met


def test_leases_are_undetermined_and_the_rest_is_told(database: Database, standby: Standby) -> None:
    trouble.abandoned(database)
    trouble.ready(database, "r")
    with standby.of(database) as here:
        code, report = inspect(here)
        states = {state["state"]: state for state in report["states"]}
        assert code == Exit.UNDETERMINED
        unread = {name for name, state in states.items() if state["verdict"] == "undetermined"}
        assert unread == LEASED | {"conflict", "unclassified"}
        assert {states[name]["jobs"] for name in LEASED} == {None}
        assert (states["ready"]["jobs"], states["ready"]["locked"]) == (1, None)


def test_a_job_named_on_a_standby_is_undetermined_without_a_holder(
    database: Database, standby: Standby
) -> None:
    job = trouble.abandoned(database)
    with standby.of(database) as here:
        code, report = inspect(here, job)
    assert code == Exit.UNDETERMINED
    assert (report["jobs"][0]["state"], report["jobs"][0]["permitted"]) == ("undetermined", False)
    assert report["jobs"][0]["detail"]["holders"] is None


@pytest.mark.parametrize("words", [(), ("--yes", "--reason", "test")], ids=["preview", "apply"])
def test_nothing_is_reclaimed_on_a_standby(
    database: Database, standby: Standby, words: tuple[str, ...]
) -> None:
    job = trouble.abandoned(database)
    with standby.of(database) as here:
        said = cli.call("reclaim", job, *words, "--dsn", here.dsn("aps_operate"))
    cli.refused(said, Exit.REFUSED, f"{database.name} is a standby", "on the primary")


def test_the_lag_is_zero_only_where_all_that_came_is_replayed(
    database: Database, standby: Standby
) -> None:
    with standby.of(database) as here:
        assert eventually(lambda: lag(here).bytes == 0)
        assert lag(here).streams is True
        assert eventually(lambda: "standby (lag 0), PostgreSQL" in head(here))
        with standby.paused():
            trouble.abandoned(database)
            assert eventually(standby.received)
            behind = lag(here)
            assert (behind.bytes or 0) > 0
            assert behind.streams is True
            assert "behind, last change" in head(here)
            _, report = inspect(here)
            assert report["database"]["lag"]["bytes"] > 0
        assert eventually(lambda: lag(here).bytes == 0)


def test_without_a_receiver_the_lag_is_unknown_and_never_zero(
    database: Database, standby: Standby
) -> None:
    with standby.of(database) as here, standby.cut_off():
        trouble.abandoned(database)
        assert (lag(here).bytes, lag(here).streams) == (None, False)
        assert "standby (lag unknown)" in head(here)
        _, report = inspect(here)
        assert report["database"]["lag"]["bytes"] is None


def test_a_role_that_cannot_see_the_receiver_knows_no_zero(
    database: Database, standby: Standby
) -> None:
    role = trouble.role(database)
    with standby.of(database) as here:
        assert eventually(lambda: lag(here).bytes == 0)
        assert (lag(here, role).bytes, lag(here, role).streams) == (None, None)
        with standby.paused():
            trouble.abandoned(database)
            assert eventually(standby.received)
            assert (lag(here, role).bytes or 0) > 0
            assert "at least" in head(here, role)


def test_a_primary_has_no_lag(database: Database) -> None:
    with connect(database) as session, session.look():
        assert session.probe().lag is None


def test_a_replay_that_ends_the_session_is_a_lost_session(
    database: Database, standby: Standby
) -> None:
    trouble.ready(database)
    with standby.of(database) as here, standby.impatient():
        with connect(here, "aps_read") as session, session.look():
            seen = snapshot.take(session, reference(), session.probe())
            vacuumed(database)
            assert eventually(lambda: _gone(here, session.pid))
            with pytest.raises(sessions.ConnectionLost):
                session.clock()
        assert seen.unread.keys() == LEASED


def test_a_replay_that_ends_a_query_inside_a_savepoint_is_a_lost_session(
    database: Database, standby: Standby
) -> None:
    trouble.ready(database)
    with (
        standby.of(database) as here,
        standby.impatient(),
        connect(here, "aps_read") as session,
        session.look(),
        in_background(lambda: vacuumed_once_asleep(database, here)),
        pytest.raises(sessions.ConnectionLost),
        session.savepoint(),
    ):
        session.rows("SELECT %(a)s::text, pg_sleep(20) FROM aps.job", {"a": "a"})


def test_a_look_that_the_replay_ended_is_made_once_more(
    database: Database, standby: Standby, tmp_path: Path
) -> None:
    trouble.ready(database)
    pack = trouble.pack(tmp_path, {"ready": SLEEPS})
    with standby.of(database) as here, standby.impatient():
        with in_background(lambda: vacuumed_once_asleep(database, here)) as vacuum:
            code, report = inspect(here, "--pack", pack)
        assert vacuum.result()
        assert eventually(lambda: here.execute(CONFLICTS, [here.name]) == [(1,)])
    ready = next(state for state in report["states"] if state["state"] == "ready")
    assert (code, ready["verdict"], ready["jobs"]) == (Exit.UNDETERMINED, "found", 1)


def _gone(here: Database, pid: int) -> bool:
    there = b"SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
    return here.execute(there, [pid]) == [(0,)]
