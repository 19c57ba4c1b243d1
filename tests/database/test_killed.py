from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import cli
from tests.support.database import Database
from tests.support.held import Held
from tests.support.operating import (
    BEFORE_COMMIT,
    abandoned,
    operator,
    reclaimed_once,
    told,
    untouched,
)
from tests.support.processes import applying
from tests.support.proxy import between
from tests.support.sessions import eventually

pytestmark = pytest.mark.one_server


def logged(database: Database, operation: str) -> cli.Result:
    """What `aps log OPERATION` tells once the server has noticed that its client is gone."""
    results: list[cli.Result] = []

    def settled() -> bool:
        results.append(cli.call("log", operation[:8], "--dsn", database.dsn(), "--format", "json"))
        return results[-1].code != 24

    eventually(settled)
    return results[-1]


@pytest.mark.parametrize("step", BEFORE_COMMIT)
def test_a_process_killed_before_its_commit_leaves_nothing(
    database: Database, tmp_path: Path, step: str
) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    with applying(plan, database.dsn(), tmp_path, step) as process:
        process.reached()
        process.kill()
    log = logged(database, plan.operation)
    assert log.code == 20
    assert "nothing of it was applied" in log.stdout + log.stderr
    assert untouched(database)
    # Its locks are gone, and the same plan may be applied yet.
    assert told(us.apply(plan))[0] == "applied"
    assert reclaimed_once(database)


def test_a_process_killed_after_its_commit_leaves_all_of_it(
    database: Database, tmp_path: Path
) -> None:
    abandoned(database)
    us = operator(database)
    plan = us.plan(1)
    with applying(plan, database.dsn(), tmp_path, "committed") as process:
        process.reached()
        process.kill()
    log = logged(database, plan.operation)
    assert log.code == 0
    assert json.loads(log.stdout)["entries"][0]["job"] == "1"
    assert reclaimed_once(database)
    assert told(us.apply(plan))[0] == "already"


@pytest.mark.parametrize("step", ["acted", "journaled"])
def test_while_a_process_stands_at_a_step_the_log_names_its_backend(
    database: Database, tmp_path: Path, step: str
) -> None:
    abandoned(database)
    plan = operator(database).plan(1)
    with applying(plan, database.dsn(), tmp_path, step) as process:
        process.reached()
        log = cli.call("log", plan.operation, "--dsn", database.dsn(), "--format", "json")
        assert log.code == 24
        assert "works on it right now" in log.stdout
        process.finish()
    assert cli.call("log", plan.operation, "--dsn", database.dsn()).code == 0


@pytest.mark.parametrize("delivered", [True, False], ids=["delivered", "on its way"])
@pytest.mark.parametrize("late", [True, False], ids=["late", "lost"])
def test_a_process_killed_while_its_commit_is_in_flight_leaves_all_or_nothing(
    database: Database, tmp_path: Path, delivered: bool, late: bool
) -> None:
    abandoned(database)
    plan = operator(database).plan(1)
    held = Held(delivered=delivered)
    with between(database, held) as dsn, applying(plan, dsn, tmp_path) as process:
        held.arrived()
        process.kill()
        held.abandoned()
        if not delivered:
            # Nobody can know yet.
            assert cli.call("log", plan.operation, "--dsn", database.dsn()).code == 24
        held.release(late=late and not delivered)
    stands = delivered or late
    assert logged(database, plan.operation).code == (0 if stands else 20)
    assert reclaimed_once(database) if stands else untouched(database)
