"""The worker statements of agent-requests: each answer, and what the table refuses whoever asks."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from tests.support import agents, shipped
from tests.support.agents import PACK, agent, ends, events, overdue, owned, row
from tests.support.database import Database
from tests.support.sessions import eventually, in_background, waits_for_a_lock


@pytest.fixture(autouse=True)
def _tables(database: Database) -> None:
    shipped.install(database, PACK)


def test_a_request_is_accepted_once_and_told_apart_from_another_of_its_key(
    database: Database,
) -> None:
    caller = agent(database, "caller")
    assert [caller.accept(), caller.accept(), caller.accept(task="other")] == [
        "accepted",
        "repeated",
        "conflict",
    ]
    assert len(events(database, "accepted")) == 1


def test_a_case_is_owned_as_a_whole_or_by_steps_and_never_both(database: Database) -> None:
    caller = agent(database, "caller")
    assert caller.accept("whole", 0) == "accepted"
    assert caller.accept("whole", 1) == "conflict"
    assert [caller.accept("steps", 1), caller.accept("steps", 2)] == ["accepted", "accepted"]
    assert caller.accept("steps", 0) == "conflict"


def test_of_two_runs_on_one_key_one_acquires(database: Database) -> None:
    first, second = agent(database, "w1", autocommit=False), agent(database, "w2")
    agent(database, "caller").accept()
    assert first.acquire()["answer"] == "acquired"
    with in_background(second.acquire) as waiting:
        eventually(lambda: waits_for_a_lock(database, second.worker.pid))
        first.worker.connection.commit()
    answer = waiting.result()
    assert (answer["answer"], answer["worker"], answer["version"]) == ("refused", "w1", 1)
    assert ends(database) == [(1, "w1", None)]


def test_a_run_that_rolls_back_leaves_the_key_to_the_one_that_waited(database: Database) -> None:
    first, second = agent(database, "w1", autocommit=False), agent(database, "w2")
    agent(database, "caller").accept()
    first.acquire()
    with in_background(second.acquire) as waiting:
        eventually(lambda: waits_for_a_lock(database, second.worker.pid))
        first.worker.connection.rollback()
    assert waiting.result()["answer"] == "acquired"
    assert ends(database) == [(1, "w2", None)]


def test_the_owner_renews_gives_back_and_delivers(database: Database) -> None:
    owner = owned(database)
    assert owner.renew(1) == "renewed"
    assert owner.release(1) == "released"
    assert row(database) == ("open", 1, None)
    assert owner.acquire()["version"] == 2
    assert owner.complete(2) == "completed"
    assert row(database) == ("done", 2, "a result")
    assert ends(database) == [(1, "w1", "released"), (2, "w1", "completed")]


def test_the_same_delivery_twice_is_repeated_and_another_is_rejected(database: Database) -> None:
    owner = owned(database)
    assert [owner.complete(1), owner.complete(1), owner.complete(1, "other")] == [
        "completed",
        "repeated",
        "rejected",
    ]


@pytest.mark.parametrize("name", ["renew", "release", "begin_external", "end_external", "complete"])
def test_every_write_of_a_late_worker_is_refused_and_recorded(
    database: Database, name: str
) -> None:
    late = owned(database)
    overdue(database)
    assert agent(database, "w2").acquire()["answer"] == "recovered"
    bound = {"lease": "1 min", "operation": "op", "happened": True, "result": "old"}
    answer = late.worker.run(name, **agents.KEY, worker="w1", version=1, **bound)
    assert answer
    assert (answer["answer"], answer["worker"], answer["version"]) == ("rejected", "w2", 2)
    assert [one[:2] for one in events(database, "rejected")] == [(1, "w1")]
    assert row(database) == ("owned", 2, None)


def test_an_owner_whose_time_ran_out_is_refused_though_nobody_else_has_the_request(
    database: Database,
) -> None:
    owner = owned(database)
    overdue(database)
    assert [owner.renew(1), owner.complete(1)] == ["rejected", "rejected"]


def test_an_unknown_request_has_no_answer(database: Database) -> None:
    asked = agent(database, "w1").worker
    assert asked.run("acquire", request="none", step=1, worker="w1", lease="1 s") is None


@pytest.mark.parametrize("version", [1, 3])
def test_the_table_itself_refuses_the_result_of_another_version(
    database: Database, version: int
) -> None:
    owned(database)
    overdue(database)
    agent(database, "w2").acquire()
    past = database.connect("aps_work")
    with pytest.raises(errors.CheckViolation, match="result_of_this_version"):
        past.execute(
            b"UPDATE agent_step SET state = 'done', worker = NULL, renewed_at = NULL, expires_at = NULL,"
            b" result = 'old', result_version = %s, finished_at = clock_timestamp()",
            [version],
        )


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("version = version - 1", "version_rises_by_one"),
        ("version = version + 2", "version_rises_by_one"),
        ("worker = 'w9'", "owner_has_own_version"),
        ("expires_at = renewed_at + interval '2 h'", "lease_capped"),
        ("state = 'open'", "ownership_where_owned"),
    ],
)
def test_the_table_refuses_what_no_statement_does(
    database: Database, change: str, constraint: str
) -> None:
    owned(database)
    with pytest.raises(errors.CheckViolation) as refused:
        database.execute(f"UPDATE agent_step SET {change}".encode())
    assert refused.value.diag.constraint_name == constraint


def test_what_is_done_and_what_happened_stay_as_they_are(database: Database) -> None:
    owned(database).complete(1)
    with pytest.raises(errors.CheckViolation, match="what is done stays"):
        database.execute(b"UPDATE agent_step SET result = 'better'")
    with pytest.raises(psycopg.Error, match="append only"):
        database.execute(b"DELETE FROM agent_event")


def test_while_an_external_write_is_unsettled_nobody_goes_on(database: Database) -> None:
    owner = owned(database)
    assert owner.begin(1) == "began"
    assert [owner.begin(1, "op-8"), owner.complete(1), owner.release(1)] == ["rejected"] * 3
    overdue(database)
    assert agent(database, "w2").acquire()["answer"] == "refused"
    assert row(database) == ("owned", 1, None)


@pytest.mark.parametrize("happened", [True, False])
def test_an_external_write_with_a_known_outcome_is_settled(
    database: Database, happened: bool
) -> None:
    owner = owned(database)
    owner.begin(1)
    assert owner.end(1, happened) == "settled"
    assert owner.complete(1) == "completed"


def test_a_worker_that_does_not_know_the_outcome_says_so_and_lets_go(database: Database) -> None:
    owner = owned(database)
    owner.begin(1)
    assert owner.end(1, None) == "uncertain"
    assert row(database) == ("uncertain", 1, None)
    assert ends(database) == [(1, "w1", "uncertain")]
    assert owner.acquire()["answer"] == "refused"
