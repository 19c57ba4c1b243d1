from __future__ import annotations

import json
from pathlib import Path

from aps.model.operation import Operation
from tests.support.cli import Result
from tests.support.database import Database
from tests.support.operating import (
    abandoned,
    at,
    batches,
    journal,
    operator,
    reclaimed_once,
    standing,
    told,
)
from tests.support.processes import applying


def test_the_slower_of_two_operators_is_told_that_the_job_has_changed(database: Database) -> None:
    abandoned(database)
    slow, fast = operator(database), operator(database)
    plans = slow.plan(1), fast.plan(1)
    assert told(fast.apply(plans[1]))[0] == "applied"
    operation = slow.apply(plans[0])
    assert told(operation)[0] == "changed"
    assert told(operation)[1].startswith("ready now: ")
    assert "epoch 2" in told(operation)[1]
    assert operation.exit_code == 20
    assert reclaimed_once(database)


def test_an_operator_who_is_faster_between_begin_and_lock_wins(database: Database) -> None:
    abandoned(database)
    fast = operator(database)
    plan = fast.plan(1)
    won: list[Operation] = []
    operation = operator(database).reclaim(
        1, pause=at("begun", lambda: won.append(fast.apply(plan)))
    )
    assert (told(won[0])[0], told(operation)[0]) == ("applied", "changed")
    assert reclaimed_once(database)


def test_an_operator_who_comes_after_the_lock_finds_it_locked_by_name(database: Database) -> None:
    abandoned(database)
    second = operator(database)
    plan = second.plan(1)
    found: list[Operation] = []
    operation = operator(database).reclaim(
        1, pause=at("acted", lambda: found.append(second.apply(plan)))
    )
    assert told(operation)[0] == "applied"
    outcome, detail = told(found[0])
    assert outcome == "locked"
    assert f"(aps/reclaim/{operation.operation[:8]}, aps_operate)" in detail
    assert "idle in transaction" in detail
    assert found[0].exit_code == 22
    assert reclaimed_once(database)


def test_two_processes_with_two_plans_apply_one_of_them(database: Database, tmp_path: Path) -> None:
    abandoned(database)
    us = operator(database)
    dsn = database.dsn()
    with (
        applying(us.plan(1), dsn, tmp_path, "begun") as one,
        applying(us.plan(1), dsn, tmp_path, "begun") as other,
    ):
        one.reached()
        other.reached()
        results = [one.finish(), other.finish()]
    assert [result.code for result in results] == [0, 20]
    rows = [json.loads(result.stdout)["rows"][0] for result in results]
    assert [row["outcome"] for row in rows] == ["applied", "changed"]
    assert reclaimed_once(database)


def test_a_plan_applied_twice_has_been_done_already(database: Database) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    us.apply(plan)
    again = us.apply(plan)
    assert told(again)[0] == "already"
    assert (again.exit_code, again.transactions) == (0, ())
    assert reclaimed_once(database)


def test_a_plan_that_was_done_is_done_already_whatever_came_of_the_job(database: Database) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    us.apply(plan)
    database.execute(b"DELETE FROM aps.attempt")
    database.execute(b"ALTER TABLE aps.event DISABLE TRIGGER ALL")
    database.execute(b"DELETE FROM aps.event")
    database.execute(b"DELETE FROM aps.job")
    assert told(us.apply(plan))[0] == "already"


def test_one_plan_in_two_processes_at_once_is_done_once(database: Database, tmp_path: Path) -> None:
    abandoned(database, 3)
    plan = operator(database).plan(1, 2, 3)
    dsn = database.dsn()
    with (
        applying(plan, dsn, tmp_path, "begun") as one,
        applying(plan, dsn, tmp_path, "begun") as other,
    ):
        one.reached()
        other.reached()
        results = [one.finish(), other.finish()]
    counts = [json.loads(result.stdout)["counts"] for result in results]
    assert counts == [{"applied": 3}, {"already": 3}]
    assert [result.code for result in results] == [0, 0]
    assert len(journal(database)) == 3
    assert batches(database) == [(3, 3)]


def test_the_second_process_of_one_plan_does_not_wait_for_the_first(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    with applying(plan, database.dsn(), tmp_path, "journaled") as first:
        first.reached()
        assert told(us.apply(plan))[0] == "locked"
        results: list[Result] = []
        retried = us.apply(plan, retries=1, rest=lambda: results.append(first.finish()))
        assert told(retried)[0] == "already"
        assert results[0].code == 0
    assert reclaimed_once(database)


def test_jobs_that_two_plans_share_go_to_one_of_them(database: Database) -> None:
    abandoned(database, 4)
    us = operator(database)
    first, second = us.plan(1, 2, 3), us.plan(2, 3, 4)
    assert us.apply(first).counts == {"applied": 3}
    operation = us.apply(second)
    assert operation.counts == {"applied": 1, "changed": 2}
    assert operation.exit_code == 21
    assert [standing(database, job) for job in (1, 2, 3, 4)] == [("ready", 2)] * 4
    assert batches(database) == [(3, 3), (3, 1)]
