from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aps import action
from tests.support import cli, triggers
from tests.support.cli import Result
from tests.support.database import Database
from tests.support.held import Held
from tests.support.operating import (
    BEFORE_COMMIT,
    abandoned,
    at,
    operator,
    outcome,
    reclaimed_once,
    standing,
    told,
    untouched,
)
from tests.support.processes import applying
from tests.support.proxy import between
from tests.support.sessions import eventually
from tests.support.triggers import trigger

one_server = pytest.mark.one_server


def ctrl_c() -> None:
    raise KeyboardInterrupt


def operation_of(result: Result) -> dict[str, Any]:
    """What the terminal was told."""
    assert "Traceback" not in result.stderr
    told: dict[str, Any] = json.loads(result.stdout)
    assert told["exit_code"] == result.code
    return told


@one_server
@pytest.mark.parametrize("step", BEFORE_COMMIT)
def test_ctrl_c_before_the_commit_leaves_nothing_and_says_so(
    database: Database, tmp_path: Path, step: str
) -> None:
    abandoned(database)
    with applying(operator(database).plan(1), database.dsn(), tmp_path, step) as process:
        process.reached()
        process.interrupt()
        result = process.wait()
    operation = operation_of(result)
    assert result.code == 130
    assert operation["interrupted"] is True
    assert operation["rows"][0]["outcome"] == "refused"
    assert operation["rows"][0]["detail"] == "not applied: interrupted before its commit"
    assert untouched(database)


@one_server
def test_ctrl_c_while_the_server_is_busy_with_the_action_ends_it_there(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database)
    trigger(database, "before", triggers.SLEEPS)
    busy = b"SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    with applying(operator(database).plan(1), database.dsn(), tmp_path) as process:
        eventually(lambda: bool(database.execute(busy)))
        process.interrupt()
        result = process.wait()
    assert result.code == 130
    assert operation_of(result)["counts"] == {"refused": 1}
    assert not database.execute(busy)
    assert untouched(database)


@one_server
def test_ctrl_c_after_the_commit_does_not_deny_it(database: Database, tmp_path: Path) -> None:
    abandoned(database)
    with applying(operator(database).plan(1), database.dsn(), tmp_path, "committed") as process:
        process.reached()
        process.interrupt()
        result = process.wait()
    operation = operation_of(result)
    assert result.code == 130
    assert operation["counts"] == {"applied": 1}
    assert len(operation["transactions"]) == 1
    assert reclaimed_once(database)


@one_server
def test_ctrl_c_while_the_answer_to_commit_is_awaited_settles_it_as_applied(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database)
    held = Held(delivered=True)
    plan = operator(database).plan(1)
    with between(database, held) as dsn, applying(plan, dsn, tmp_path) as process:
        held.arrived()
        process.interrupt()
        held.abandoned()
        result = process.wait()
        held.release()
    operation = operation_of(result)
    assert result.code == 130
    assert operation["counts"] == {"applied": 1}
    assert operation["interrupted"] is True
    assert reclaimed_once(database)


@one_server
@pytest.mark.parametrize("late", [True, False], ids=["arrives late", "never arrives"])
def test_ctrl_c_while_commit_is_on_its_way_waits_for_what_becomes_of_it(
    database: Database, tmp_path: Path, late: bool
) -> None:
    abandoned(database)
    held = Held(delivered=False)
    plan = operator(database).plan(1)
    with between(database, held) as dsn, applying(plan, dsn, tmp_path) as process:
        held.arrived()
        process.interrupt()
        held.abandoned()
        held.release(late=late)
        result = process.wait()
    operation = operation_of(result)
    assert result.code == 130
    # Not tried once more: somebody wants it to end.
    assert operation["counts"] == ({"applied": 1} if late else {"refused": 1})
    assert reclaimed_once(database) if late else untouched(database)


@one_server
@pytest.mark.parametrize("late", [True, False], ids=["arrives late", "never arrives"])
def test_a_second_ctrl_c_leaves_the_outcome_unknown_and_the_log_settles_it(
    database: Database, tmp_path: Path, late: bool
) -> None:
    abandoned(database)
    held = Held(delivered=False)
    plan = operator(database).plan(1)
    with between(database, held) as dsn, applying(plan, dsn, tmp_path) as process:
        held.arrived()
        (holder,) = database.execute(
            b"SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'"
            b" AND application_name LIKE 'aps/reclaim/%' AND datname = current_database()"
        )
        process.interrupt()
        held.abandoned()
        process.interrupt()
        result = process.wait()
        operation = operation_of(result)
        assert result.code == 24
        assert operation["counts"] == {"unknown": 1}
        assert f"backend {holder[0]}" in operation["rows"][0]["detail"]
        assert "is still in progress there" in operation["rows"][0]["detail"]
        words = ("log", plan.operation[:8], "--dsn", database.dsn())
        assert cli.call(*words).code == 24
        held.release(late=late)
    eventually(lambda: cli.call(*words).code != 24)
    assert cli.call(*words).code == (0 if late else 20)
    assert reclaimed_once(database) if late else untouched(database)


def test_ctrl_c_in_the_second_of_three_batches_keeps_the_first(database: Database) -> None:
    abandoned(database, 3)
    operation = operator(database).reclaim(1, 2, 3, pause=at("acted", int, ctrl_c), batch_size=1)
    assert [outcome(operation, job)[0] for job in (1, 2, 3)] == ["applied", "refused", "refused"]
    assert (operation.exit_code, operation.interrupted) == (130, True)
    assert [standing(database, job) for job in (1, 2, 3)] == [
        ("ready", 2), ("running", 1), ("running", 1),
    ]  # fmt: skip


def test_ctrl_c_while_it_rests_tells_what_was_done_and_what_is_locked(database: Database) -> None:
    abandoned(database, 2)
    holder = database.connect("postgres", autocommit=False)
    holder.execute(b"SELECT FROM aps.job WHERE job_id = 2 FOR UPDATE")
    operation = operator(database).reclaim(1, 2, retries=3, rest=ctrl_c)
    assert outcome(operation, 1)[0] == "applied"
    assert outcome(operation, 2)[0] == "locked"
    assert operation.exit_code == 130


def test_ctrl_c_during_the_verification_says_that_it_was_not_run(database: Database) -> None:
    abandoned(database)
    operation = operator(database).reclaim(1, pause=at("committed", ctrl_c))
    assert told(operation)[0] == "applied"
    assert operation.not_verified == ("the verification was not run: interrupted",)
    assert operation.exit_code == 130


def test_ctrl_c_before_anything_was_tried_is_told_like_any_other(database: Database) -> None:
    abandoned(database)
    us = operator(database)
    run = us.run(us.plan(1))

    def connect() -> Any:
        raise KeyboardInterrupt

    run.connect = connect
    operation = action.apply(run)
    assert told(operation)[0] == "refused"
    assert operation.exit_code == 130
