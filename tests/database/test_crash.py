from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator

import pytest

from aps import settlement
from aps.demo.binaries import Binaries
from aps.model.operation import Operation
from aps.settlement import Commit
from tests.support import cli, proxy
from tests.support.database import Database, Server
from tests.support.operating import (
    Operator,
    abandoned,
    at,
    operator,
    reclaimed_once,
    standing,
    told,
    untouched,
)
from tests.support.proxy import between
from tests.support.sessions import DEADLINE_SECONDS, eventually, in_background

pytestmark = pytest.mark.one_server

SLOW_STANDBY = b"ALTER SYSTEM SET synchronous_standby_names = 'nobody'"


@pytest.fixture(scope="module")
def own(binaries: Binaries) -> Iterator[Server]:
    """A server that these tests may crash."""
    server = Server(binaries)
    yield server
    server.stop()


@pytest.fixture
def database(own: Server) -> Iterator[Database]:
    with own.database() as database:
        abandoned(database)
        yield database


class Crash:
    """A script for the proxy: the server crashes while the COMMIT is where `before` leaves it."""

    def __init__(self, before: Callable[[proxy.Commit], object]) -> None:
        self._before = before
        self._arrived = threading.Event()

    def __call__(self, commit: proxy.Commit) -> None:
        self._before(commit)
        self._arrived.set()
        # To the end of the server, whose last words the client never hears.
        while True:
            commit.answer()

    def arrived(self) -> None:
        assert self._arrived.wait(DEADLINE_SECONDS)


def answered(commit: proxy.Commit) -> None:
    commit.forward()
    commit.answer()


def untold(_: proxy.Commit) -> None:
    pass


def crashed(database: Database, crash: Crash, *, away: bool = False) -> Operation:
    """The operation whose COMMIT met the crash. The server is up again soon, or `away` when the operation is over."""
    with between(database, crash) as dsn:
        over = operator(database, dsn=dsn)
        plan = over.plan(1)
        with in_background(lambda: over.apply(plan, patience=0.3 if away else 30.0)) as applying:
            crash.arrived()
            database.cluster.crash()
            # By this thread: a server lives no longer than the one that started it.
            if not away:
                database.cluster.restart()
            operation = applying.result()
            if away:
                database.cluster.restart()
    return operation


@pytest.mark.parametrize("before", [answered, untold, proxy.Commit.forward])
def test_a_server_that_crashes_around_the_commit_leaves_the_job_reclaimed_once(
    database: Database, before: Callable[[proxy.Commit], object]
) -> None:
    operation = crashed(database, Crash(before))
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert len(operation.transactions) == 1
    assert reclaimed_once(database)


@pytest.mark.parametrize("before", [answered, untold])
def test_a_server_that_stays_away_leaves_the_outcome_unknown_and_the_log_settles_it(
    database: Database, before: Callable[[proxy.Commit], object]
) -> None:
    operation = crashed(database, Crash(before), away=True)
    outcome, detail = told(operation)
    assert (outcome, operation.exit_code) == ("unknown", 24)
    assert "cannot connect" in detail
    assert f"`aps log {operation.operation[:8]}` settles it" in detail
    log = cli.call("log", operation.operation[:8], "--dsn", database.dsn())
    assert log.code == (0 if before is answered else 20)
    assert reclaimed_once(database) if before is answered else untouched(database)


@pytest.mark.parametrize("step", ["begun", "acted", "journaled"])
def test_a_server_that_crashes_at_a_step_and_comes_back_is_tried_once_more(
    database: Database, step: str
) -> None:
    def crash() -> None:
        database.cluster.crash()
        database.cluster.restart()

    operation = operator(database).reclaim(1, pause=at(step, crash))
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)
    assert reclaimed_once(database)


def test_a_server_that_crashes_and_stays_away_fails_the_batch(database: Database) -> None:
    operation = operator(database).reclaim(
        1, pause=at("acted", database.cluster.crash), patience=0.3
    )
    database.cluster.restart()
    assert told(operation)[0] == "failed"
    assert "cannot connect" in told(operation)[1]
    assert operation.exit_code == 27
    assert untouched(database)


@pytest.fixture
def slow_standby(database: Database) -> Iterator[Callable[[], None]]:
    """Every COMMIT waits for a standby that never comes; call it to end that."""

    def reload(statement: bytes, expected: str) -> None:
        database.execute(statement)
        database.execute(b"SELECT pg_reload_conf()")
        eventually(lambda: database.execute(b"SHOW synchronous_standby_names") == [(expected,)])

    def end() -> None:
        reload(b"ALTER SYSTEM RESET synchronous_standby_names", "")

    reload(SLOW_STANDBY, "nobody")
    yield end
    end()


def test_a_commit_that_waits_for_a_standby_is_unknown_until_it_is_over(
    database: Database, slow_standby: Callable[[], None]
) -> None:
    us = operator(database)
    operation = us.apply(us.plan(1), patience=0.4)
    outcome, detail = told(operation)
    (waiting,) = database.execute(
        b"SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
    )
    assert (outcome, operation.exit_code) == ("unknown", 24)
    assert f"backend {waiting[0]}" in detail
    assert "the transaction is still in progress there" in detail
    words = ("log", operation.operation, "--dsn", database.dsn())
    log = cli.call(*words)
    assert log.code == 24
    assert f"backend {waiting[0]}" in log.stdout
    slow_standby()
    eventually(lambda: cli.call(*words).code != 24)
    assert cli.call(*words).code == 0
    assert reclaimed_once(database)


def test_a_standby_that_answers_late_is_waited_for(
    database: Database, slow_standby: Callable[[], None]
) -> None:
    us = operator(database)
    plan = us.plan(1)
    with in_background(lambda: us.apply(plan)) as applying:
        eventually(
            lambda: bool(
                database.execute(b"SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            )
        )
        slow_standby()
        operation = applying.result()
    assert (told(operation)[0], operation.exit_code) == ("applied", 0)


def commit_of(database: Database, us: Operator, transaction: str, batch: str) -> Commit:
    with us.session() as session, session.look():
        identity = session.probe().identity
    return Commit(batch, transaction, identity, 1)


def status(database: Database, transaction: str) -> object:
    return database.execute(b"SELECT pg_xact_status(%s::text::xid8)", [transaction])[0][0]


def test_an_id_that_was_used_again_after_a_crash_settles_nothing(database: Database) -> None:
    us = operator(database)
    lost = database.connect("postgres", autocommit=False)
    (row,) = lost.execute(b"SELECT pg_current_xact_id()::text")
    commit = commit_of(database, us, row[0], str(uuid.uuid4()))
    database.cluster.crash()
    database.cluster.restart()
    # Taken back by the crash: to ask for it is an error now.
    assert settlement.settle(commit, us.session, 0.0)[0] == "not applied"
    while database.execute(b"SELECT pg_current_xact_id()::text") != [(row[0],)]:
        pass
    assert status(database, row[0]) == "committed"
    assert settlement.settle(commit, us.session, 0.0) == (
        "not applied", "the journal does not have it",
    )  # fmt: skip


def test_what_the_journal_has_was_applied_whatever_its_id_says(database: Database) -> None:
    us = operator(database)
    us.reclaim(1)
    ((batch,),) = database.execute(b"SELECT batch::text FROM aps_journal.batch")
    future = str(2**40)
    commit = commit_of(database, us, future, batch)
    assert settlement.settle(commit, us.session, 0.0) == ("applied", "the journal has it")
    assert standing(database) == ("ready", 2)
