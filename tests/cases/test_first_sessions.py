"""C16, C17, C19: a pooler between, a standby in place of the primary, an answer to COMMIT that never came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support.cases import Case, counts, outcomes
from tests.support.database import Database
from tests.support.pooler import pooled
from tests.support.proxy import between, cut_after, cut_before
from tests.support.queue import queue
from tests.support.standby import Standby

# The kinds of rows are judged on both servers elsewhere; so many whole commands run on one.
pytestmark = pytest.mark.one_server


@pytest.fixture
def poolside(database: Database) -> Iterator[Case]:
    """Through a pooler by transaction."""
    case = Case(database)
    case.run(
        b"SELECT pg_temp.running(n, 'w1', 1, -9) FROM generate_series(1, 3) AS n",
        b"SELECT pg_temp.running(4, 'w1', 1, 9)",
    )
    with pooled(database, "aps_operate") as dsn:
        yield Case(database, via=dsn)


def test_c16_through_a_pooler_the_verdicts_are_those_of_a_session_of_its_own(
    poolside: Case,
) -> None:
    assert poolside.states(1, 2, 3, 4) == ["adoption", "adoption", "adoption", "live_lease"]
    assert counts(poolside.look()["states"]) == counts(Case(poolside.database).look()["states"])


def test_c16_through_a_pooler_a_reclaim_is_applied_once_and_leaves_nothing_on_the_session(
    poolside: Case,
) -> None:
    told = poolside.apply("reclaim", "1", "2", "4")
    assert outcomes(told) == {"1": "applied", "2": "applied", "4": "refused"}
    assert [poolside.row(job)[2] for job in (1, 2, 3, 4)] == [2, 2, 1, 1]
    left = b"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    assert poolside.database.execute(left) == [(0,)]


def test_c16_of_two_operators_through_poolers_one_has_the_job(
    poolside: Case, tmp_path: Path
) -> None:
    file = str(tmp_path / "plan.json")
    poolside.told("reclaim", "1", "--plan-out", file)
    with pooled(poolside.database, "aps_operate", forgets=True) as other:
        assert outcomes(Case(poolside.database, via=other).apply("reclaim", "1")) == {
            "1": "applied"
        }
    told = poolside.apply("reclaim", "--plan", file)
    assert (told["exit_code"], outcomes(told)) == (Exit.NOTHING_APPLIED, {"1": "changed"})
    assert poolside.row(1) == ("ready", None, 2)


def test_c16_a_thousand_through_a_pooler(poolside: Case) -> None:
    poolside.run(b"SELECT pg_temp.running(n, 'w1', 1, -9) FROM generate_series(1001, 2000) AS n")
    told = poolside.apply("reclaim", "--state", "adoption", "--all", "--limit", "2000")
    assert told["counts"] == {"applied": 1003}


def test_c17_a_standby_that_lags_says_undetermined_and_refuses_what_the_primary_has_done(
    database: Database, standby: Standby
) -> None:
    case = Case.of(database, "first_c17_replica")
    with standby.paused():
        case.run(b"UPDATE aps.job SET lease_until = pg_temp.at(9) WHERE job_id = 117")
        published = queue(database).publish(117, "w1", 3)
        assert published
        here = Database(standby.cluster, database.name)
        there = Case(here, role="aps_read")
        told = there.look(117)
        assert (told["jobs"][0]["state"], told["exit_code"]) == ("undetermined", Exit.UNDETERMINED)
        assert told["database"]["in_recovery"] is True
        assert "a standby cannot tell" in told["jobs"][0]["refusal"]
        assert "standby" in there.said("inspect")
        said = Case(here).told("reclaim", "117", "--yes", "--reason", "a case")
        assert said.code == Exit.REFUSED
        assert "is a standby: plan and act on the primary" in said.stderr
    assert case.states(117) == ["confirmed_publication"]


def test_c17_no_verdict_of_a_lease_comes_from_a_standby_even_where_nothing_lags(
    database: Database, standby: Standby
) -> None:
    case = Case.of(database, "first_c17_replica")
    case.run(b"SELECT pg_temp.ready(1), pg_temp.running(2, 'w1', 1, 9)")
    with standby.of(database) as here:
        told = Case(here, role="aps_read").look()
        found = {one["state"]: one["verdict"] for one in told["states"]}
        assert {found[name] for name in ("adoption", "poisoned", "live_lease")} == {"undetermined"}
        assert found["unclassified"] == "undetermined"
        assert told["exit_code"] == Exit.UNDETERMINED


def test_c17_a_plan_of_the_primary_is_not_applied_on_a_standby(
    database: Database, standby: Standby, tmp_path: Path
) -> None:
    case = Case.of(database, "first_c17_replica")
    plan = str(tmp_path / "plan.json")
    case.told("reclaim", "117", "--plan-out", plan)
    with standby.of(database) as here:
        said = Case(here).told("reclaim", "--plan", plan, "--yes", "--reason", "a case")
        assert said.code == Exit.REFUSED, said
    assert outcomes(case.apply("reclaim", "--plan", plan)) == {"117": "applied"}


def test_c19_an_answer_to_commit_that_was_lost_is_looked_up_and_not_repeated(
    database: Database,
) -> None:
    case = Case.of(database, "first_c19_commit_unknown")
    with between(database, cut_after) as dsn:
        told = Case(database, via=dsn).apply("reclaim", "119")
    assert (told["exit_code"], outcomes(told)) == (Exit.CLEAR, {"119": "applied"})
    assert case.row(119) == ("ready", None, 8)
    assert case.ends(119) == [(7, "abandoned")]
    again = case.said("log", told["operation"])
    assert "applied" in again


def test_c19_a_run_that_began_meanwhile_is_not_killed_by_a_second_try(
    database: Database, tmp_path: Path
) -> None:
    case = Case.of(database, "first_c19_commit_unknown")
    plan = str(tmp_path / "plan.json")
    case.told("reclaim", "119", "--plan-out", plan)
    with between(database, cut_after) as dsn:
        Case(database, via=dsn).apply("reclaim", "--plan", plan)
    assert queue(database).claim("w2")
    told = case.apply("reclaim", "--plan", plan)
    assert outcomes(told) == {"119": "already"}
    assert case.row(119) == ("running", "w2", 9)


def test_c19_a_commit_that_never_arrived_is_not_reported_as_done(database: Database) -> None:
    case = Case.of(database, "first_c19_commit_unknown")
    with between(database, cut_before, cut_before) as dsn:
        told = Case(database, via=dsn).apply("reclaim", "119")
    assert (told["exit_code"], outcomes(told)) == (Exit.ROW_FAILED, {"119": "failed"})
    assert case.row(119) == ("running", "w1", 7)


def test_c19_of_a_thousand_in_batches_each_lost_answer_is_settled_by_itself(
    database: Database,
) -> None:
    case = Case.of(database, "first_c19_commit_unknown")
    case.run(b"SELECT pg_temp.running(n, 'w1', 1, -9) FROM generate_series(1001, 2000) AS n")
    with between(database, cut_after, cut_before) as dsn:
        told = Case(database, via=dsn).apply(
            "reclaim", "--state", "adoption", "--all", "--limit", "2000"
        )
    assert told["counts"] == {"applied": 1001}
    rows = database.execute(b"SELECT DISTINCT state, epoch FROM aps.job WHERE job_id > 1000")
    assert rows == [("ready", 2)]
