"""Statements that waited: for a row past their lease, for an adoption, for a claim in flight."""

from __future__ import annotations

import pytest

from tests.support.database import Database
from tests.support.late import LOCK, UPDATE, answer_after_the_lease
from tests.support.queue import LEASED, Answer, Queue, altered, leased, queue, session
from tests.support.sessions import eventually, in_background, waits_for_a_lock

JUDGED = """judged AS MATERIALIZED (
  -- The clock is read after the lock: now() is older, and a wait for the lock may outlast the lease.
  SELECT *, clock_timestamp() AS clock FROM held
)"""
NOW = "clock_timestamp() AS clock", "now() AS clock"
CLOSING = "ON CONFLICT (job_id, epoch) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_as = EXCLUDED.ended_as"

all_four = pytest.mark.parametrize("name", LEASED)
held_by = pytest.mark.parametrize("hold", [LOCK, UPDATE], ids=["lock", "update"])


def clock_beside_the_lock(name: str) -> dict[str, str]:
    """The statement with its clock read in the SELECT that takes the lock, and so before it."""
    whole = altered(name, JUDGED, "judged AS (SELECT * FROM held)")[name]
    return {
        name: whole.replace(
            " FROM aps.job WHERE", ", clock_timestamp() AS clock FROM aps.job WHERE", 1
        )
    }


@all_four
@held_by
def test_a_statement_that_waited_past_its_lease_is_refused(
    database: Database, name: str, hold: bytes
) -> None:
    assert answer_after_the_lease(database, name, hold, {})["answer"] == "rejected"


@all_four
@held_by
def test_with_the_clock_of_the_transaction_it_would_not_be_refused(
    database: Database, name: str, hold: bytes
) -> None:
    answer = answer_after_the_lease(database, name, hold, altered(name, *NOW))
    assert answer["answer"] != "rejected"


@all_four
def test_with_the_clock_read_beside_the_lock_it_would_not_be_refused(
    database: Database, name: str
) -> None:
    answer = answer_after_the_lease(database, name, LOCK, clock_beside_the_lock(name))
    assert answer["answer"] != "rejected"


def after_an_adoption(database: Database, name: str, late: Queue) -> tuple[int, object]:
    """The job, and the answer to a statement of the first owner that waited for the adoption to commit."""
    job = queue(database).claimed()["job_id"]
    adopter = queue(database)
    adopter.connection.execute(b"BEGIN")
    database.execute(b"UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'")
    adopter.adopt("w2")
    with in_background(lambda: leased(late, name, job, "w1", 1)) as waiting:
        eventually(lambda: waits_for_a_lock(database, late.pid))
        adopter.connection.execute(b"COMMIT")
    answer = waiting.result()
    assert answer
    return job, (answer["answer"], answer["epoch"], answer["worker"])


@all_four
def test_a_statement_that_waited_for_an_adoption_is_refused_by_the_new_row(
    database: Database, name: str
) -> None:
    late = queue(database)
    job, answer = after_an_adoption(database, name, late)
    assert answer == ("rejected", 2, "w2")
    assert late.ends(job) == [(1, "superseded"), (2, None)]
    assert late.events(job)[-1] == ("rejected", 1, "w1")


def after_a_claim_in_flight(database: Database, name: str, late: Queue) -> int:
    """The job whose claim committed while the statement that ends its first attempt already waited."""
    worker = queue(database)
    job = int(worker.accept("r1")["job_id"])
    worker.connection.execute(b"BEGIN")
    assert worker.claim("w1")
    with in_background(lambda: ended(late, name, job)) as waiting:
        eventually(lambda: waits_for_a_lock(database, late.pid))
        worker.connection.execute(b"COMMIT")
    answer = waiting.result()
    assert answer
    assert answer["answer"] != "rejected"
    return job


def ended(late: Queue, name: str, job: int) -> Answer | None:
    return late.cancel(job, 1) if name == "cancel" else leased(late, name, job, "w1", 1)


ENDS = {"publish": "published", "fail": "failed", "release": "released", "cancel": "cancelled"}


@pytest.mark.parametrize("name", ENDS)
def test_the_attempt_of_a_claim_in_flight_is_closed(database: Database, name: str) -> None:
    late = queue(database)
    assert late.ends(after_a_claim_in_flight(database, name, late)) == [(1, ENDS[name])]


@pytest.mark.parametrize("name", ENDS)
def test_with_an_update_the_attempt_of_a_claim_in_flight_would_stay_open(
    database: Database, name: str
) -> None:
    late = Queue(session(database), with_an_update(name))
    assert late.ends(after_a_claim_in_flight(database, name, late)) == [(1, None)]


def with_an_update(name: str) -> dict[str, str]:
    """The statement with its attempt closed by an UPDATE, which sees no more than its snapshot."""
    whole = altered(name, CLOSING, "")[name]
    start = whole.index("  INSERT INTO aps.attempt")
    end = whole.index("\n)", start)
    source = whole[whole.index("FROM", start) : end]
    update = (
        f"  UPDATE aps.attempt a SET ended_at = clock_timestamp(), ended_as = '{ENDS[name]}'"
        f" FROM (SELECT h.job_id, h.epoch {source}) ended"
        " WHERE a.job_id = ended.job_id AND a.epoch = ended.epoch"
    )
    return {name: whole[:start] + update + whole[end:]}
