from __future__ import annotations

import pytest

from aps import action
from aps import database as sessions
from aps.run import Run
from tests.support import cli
from tests.support.database import Database
from tests.support.operating import (
    Operator,
    abandoned,
    batches,
    journal,
    operator,
    outcome,
    reclaimed_once,
    standing,
    told,
    untouched,
)
from tests.support.proxy import between, cut_after, cut_before


def over(dsn: str, database: Database) -> Operator:
    return operator(database, dsn=dsn)


def test_a_commit_whose_answer_is_cut_off_is_settled_as_applied(database: Database) -> None:
    abandoned(database)
    with between(database, cut_after) as dsn:
        operation = over(dsn, database).reclaim(1)
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert len(operation.transactions) == 1
    assert reclaimed_once(database)


def test_a_commit_that_never_arrived_is_tried_once_more(database: Database) -> None:
    abandoned(database)
    with between(database, cut_before) as dsn:
        operation = over(dsn, database).reclaim(1)
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert len(operation.transactions) == 1
    assert reclaimed_once(database)


def test_a_commit_that_never_arrived_twice_fails_and_changes_nothing(database: Database) -> None:
    abandoned(database)
    with between(database, cut_before, cut_before) as dsn:
        operation = over(dsn, database).reclaim(1)
    words = "not applied: the answer to COMMIT was lost, and the journal does not have it (08006)"
    assert told(operation) == ("failed", words)
    assert (operation.exit_code, operation.transactions) == (27, ())
    assert untouched(database)


def test_a_second_try_whose_answer_is_cut_off_is_settled_as_applied(database: Database) -> None:
    abandoned(database)
    with between(database, cut_before, cut_after) as dsn:
        operation = over(dsn, database).reclaim(1)
    assert told(operation)[0] == "applied"
    assert reclaimed_once(database)


def test_each_batch_is_settled_by_itself(database: Database) -> None:
    abandoned(database, 30)
    us = operator(database)
    plan = us.plan(*range(1, 31))
    with between(database, cut_after, cut_before, cut_after, cut_after) as dsn:
        operation = over(dsn, database).apply(plan, batch_size=10)
    assert (operation.counts, operation.exit_code) == ({"applied": 30}, 0)
    assert len(operation.transactions) == 3
    assert batches(database) == [(10, 10)] * 3
    assert len(journal(database)) == 30
    assert {standing(database, job) for job in range(1, 31)} == {("ready", 2)}


def test_outcomes_beside_the_applied_ones_survive_a_lost_answer(database: Database) -> None:
    abandoned(database, 2)
    us = operator(database)
    plan = us.plan(1, 2)
    database.execute(
        b"UPDATE aps.job SET lease_until = clock_timestamp() + interval '5 min' WHERE job_id = 2"
    )
    with between(database, cut_after) as dsn:
        operation = over(dsn, database).apply(plan)
    assert outcome(operation, 1)[0] == "applied"
    assert outcome(operation, 2)[0] == "changed"
    assert operation.exit_code == 21


def test_a_commit_refused_by_the_server_applies_nothing(database: Database) -> None:
    abandoned(database)
    database.execute(
        b"CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
        b" $f$ BEGIN RAISE EXCEPTION 'not today'; END $f$"
    )
    database.execute(
        b"CREATE CONSTRAINT TRIGGER late AFTER INSERT ON aps_journal.entry"
        b" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.refuse()"
    )
    operation = operator(database).reclaim(1)
    assert told(operation)[0] == "failed"
    assert told(operation)[1].startswith("not today")
    assert operation.exit_code == 27
    assert untouched(database)


def then(run: Run, elsewhere: Operator) -> Run:
    """The run, whose sessions after the one for its check and the one for its batch go elsewhere."""
    left = [run.connect, run.connect]

    def connect() -> sessions.Database:
        return left.pop()() if left else elsewhere.session()

    run.connect = connect
    return run


def test_a_server_that_is_not_the_one_of_the_commit_settles_nothing(database: Database) -> None:
    abandoned(database)
    plan = operator(database).plan(1)
    other = database.cluster.dsn("postgres", "aps_operate")
    with between(database, cut_after) as dsn:
        run = then(over(dsn, database).run(plan), over(other, database))
        operation = action.apply(run)
    unknown, detail = told(operation)
    assert unknown == "unknown"
    assert "the server that answers is another one, was restored, or failed over" in detail
    assert f"`aps log {operation.operation[:8]}` settles it" in detail
    assert operation.exit_code == 24
    # The truth, which it could not know.
    assert reclaimed_once(database)


def test_what_is_unknown_ends_the_operation(database: Database) -> None:
    abandoned(database, 2)
    plan = operator(database).plan(1, 2)
    with between(database, cut_after) as dsn:
        run = over(dsn, database).run(plan, batch_size=1, patience=0.5)
        operation = action.apply(then(run, over("host=/nowhere dbname=x", database)))
    assert outcome(operation, 1)[0] == "unknown"
    assert "cannot connect" in outcome(operation, 1)[1]
    assert outcome(operation, 2) == ("refused", "not tried: the operation had ended")
    assert operation.exit_code == 24
    assert reclaimed_once(database)
    assert standing(database, 2) == ("running", 1)


@pytest.mark.parametrize("after", [True, False], ids=["after", "before"])
def test_the_command_tells_the_settled_outcome(database: Database, after: bool) -> None:
    abandoned(database)
    scripts = [cut_after] if after else [cut_before, cut_before]
    with between(database, *scripts) as dsn:
        result = cli.call(
            "reclaim", "1", "--yes", "--reason", "a test", "--dsn", dsn, "--format", "json"
        )
    assert result.code == (0 if after else 27)
    log = cli.call("log", "--dsn", database.dsn(), "--format", "json")
    assert log.code == 0
    assert ("a test" in log.stdout) is after
