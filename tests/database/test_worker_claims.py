"""How work changes hands: claim and adopt."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.database import Database
from tests.support.looking import states
from tests.support.queue import Answer, Queue, altered, queue, session
from tests.support.rows import ATTEMPT, READY, RUNNING, insert
from tests.support.sessions import in_background

EXPIRED = "-1 s"


def table(database: Database) -> dict[int, tuple[object, ...]]:
    """Every job row, whole."""
    return {int(row[0]): row for row in database.execute(b"SELECT * FROM aps.job")}


def changed(
    before: dict[int, tuple[object, ...]], after: dict[int, tuple[object, ...]]
) -> set[int]:
    return {job for job, row in after.items() if before.get(job) != row}


def test_a_claim_hands_out_a_lease_and_a_file_of_its_own(database: Database) -> None:
    worker = queue(database)
    answer = worker.claimed(lease="5 min")
    row = worker.job(answer["job_id"])
    told = {name: row[name] for name in answer}
    assert answer == told
    assert (row["state"], row["worker"], row["epoch"]) == ("running", "w1", 1)
    assert row["lease_until"] - row["started_at"] == pytest.approx(
        timedelta(minutes=5), abs=timedelta(seconds=1)
    )
    assert worker.ends(row["job_id"]) == [(1, None)]
    assert worker.events(row["job_id"]) == [("accepted", None, None), ("claimed", 1, "w1")]


def test_the_oldest_ready_job_is_claimed_first(database: Database) -> None:
    worker = queue(database)
    jobs = [worker.accept(f"r{number}")["job_id"] for number in range(3)]
    worker.claim("w1")
    worker.release(jobs[0], "w1", 1)
    claimed = [worker.claim("w1") for _ in jobs]
    assert [answer["job_id"] for answer in claimed if answer] == [jobs[1], jobs[2], jobs[0]]
    assert worker.claim("w1") is None


def test_every_claim_of_a_job_raises_its_epoch_by_one_and_names_a_new_file(
    database: Database,
) -> None:
    worker = queue(database)
    worker.accept("r1")
    answers: list[Answer] = []
    for _ in range(3):
        answer = worker.claim("w1")
        assert answer
        answers.append(answer)
        worker.release(answer["job_id"], "w1", answer["epoch"])
    assert [answer["epoch"] for answer in answers] == [1, 2, 3]
    assert len({answer["candidate"] for answer in answers}) == 3


def test_many_claimers_at_once_share_the_jobs_without_a_double(database: Database) -> None:
    caller = queue(database)
    jobs = {caller.accept(f"r{number}")["job_id"] for number in range(60)}
    workers = [queue(database) for _ in range(3)]
    with (
        in_background(lambda: drained(workers[0])) as first,
        in_background(lambda: drained(workers[1])) as second,
    ):
        third = drained(workers[2])
    claimed = [*first.result(), *second.result(), *third]
    # An empty answer is no empty queue: what others held in passing is still there.
    claimed += drained(caller)
    assert sorted(claimed) == sorted(jobs)


def drained(worker: Queue) -> list[int]:
    answers = iter(lambda: worker.claim("w1"), None)
    return [int(answer["job_id"]) for answer in answers if answer]


@pytest.mark.parametrize("fault", [{"ended_at": None, "ended_as": None}, {"epoch": 6}])
def test_a_claim_passes_over_a_row_that_no_correct_writer_leaves(
    database: Database, fault: dict[str, object]
) -> None:
    """It would fail on the attempt that exists already, and so would every claim after it."""
    insert(database, "job", READY | {"epoch": 5})
    epoch = fault.get("epoch", 5)
    ended = {"ended_at": "2026-01-01", "ended_as": "released"}
    attempt = ATTEMPT | ended | {"epoch": epoch, "candidate": f"1/{epoch}-a"} | fault
    insert(database, "attempt", attempt)
    database.execute(b"SELECT nextval('aps.job_job_id_seq')")
    worker = queue(database)
    other = worker.accept("r2")["job_id"]
    assert states(database, 1, other) == ["inconsistent_row", "ready"]
    claimed = worker.claim("w1")
    assert claimed
    assert claimed["job_id"] == other
    assert worker.claim("w1") is None


def test_an_adoption_before_the_lease_ends_changes_nothing(database: Database) -> None:
    worker = queue(database)
    job = worker.claimed(lease="1 min")["job_id"]
    before, events = table(database), worker.events(job)
    assert worker.adopt("w2") is None
    assert (table(database), worker.events(job)) == (before, events)


def test_an_adoption_at_the_end_changes_one_row_its_worker_and_the_epoch_by_one(
    database: Database,
) -> None:
    worker = queue(database)
    later = worker.claimed(lease=EXPIRED, key="r1")["job_id"]
    sooner = worker.claimed(lease="-2 s", key="r2")["job_id"]
    before, old = table(database), worker.job(sooner)
    answer = worker.adopt("w2")
    assert answer
    assert changed(before, table(database)) == {sooner}
    row = worker.job(sooner)
    assert (row["worker"], row["epoch"]) == ("w2", old["epoch"] + 1)
    assert row["candidate"] == answer["candidate"] != old["candidate"]
    assert worker.ends(sooner) == [(1, "superseded"), (2, None)]
    assert worker.events(sooner)[-1] == ("adopted", 2, "w2")
    assert worker.ends(later) == [(1, None)]


def test_the_very_moment_at_which_the_lease_ends_is_adoptable(database: Database) -> None:
    queue(database).claimed()
    clock = "(SELECT clock_timestamp())"
    before = altered("adopt", clock, "j.lease_until - interval '1 microsecond'")
    assert Queue(session(database), before).adopt("w2") is None
    assert Queue(session(database), altered("adopt", clock, "j.lease_until")).adopt("w2")


def test_a_worker_of_the_same_name_that_adopts_gets_an_authority_of_its_own(
    database: Database,
) -> None:
    worker = queue(database)
    job = worker.claimed("w1", lease=EXPIRED)["job_id"]
    worker.adopt("w1")
    old, new = worker.heartbeat(job, "w1", 1), worker.heartbeat(job, "w1", 2)
    assert old
    assert new
    assert (old["answer"], new["answer"]) == ("rejected", "renewed")


def test_a_job_is_adopted_until_its_limit_of_lost_workers_and_then_left_to_people(
    database: Database,
) -> None:
    worker = queue(database)
    job = worker.claimed(lease=EXPIRED)["job_id"]
    assert states(database, job) == ["adoption"]
    assert worker.adopt("w2", lease=EXPIRED)
    assert states(database, job) == ["adoption"]
    assert worker.adopt("w3", lease=EXPIRED)
    assert states(database, job) == ["poisoned"]
    assert worker.adopt("w4") is None


def test_an_adoption_does_not_wait_for_a_locked_job(database: Database) -> None:
    worker, holder = queue(database), database.connect(autocommit=False)
    jobs = [worker.claimed(lease=f"-{n} s", key=f"r{n}")["job_id"] for n in (9, 8)]
    holder.execute(b"SELECT FROM aps.job WHERE job_id = %s FOR UPDATE", [jobs[0]])
    answer = worker.adopt("w2")
    assert answer
    assert answer["job_id"] == jobs[1]


@pytest.mark.parametrize(
    "attempts",
    [
        [],
        [{"ended_at": "2026-01-01", "ended_as": "abandoned"}],
        [{}, {"epoch": 2, "candidate": "1/2-a"}],
    ],
    ids=["none", "closed", "above"],
)
def test_an_adoption_passes_over_a_row_that_no_correct_writer_leaves(
    database: Database, attempts: list[dict[str, object]]
) -> None:
    insert(database, "job", RUNNING | {"lease_until": "2026-01-01"})
    for attempt in attempts:
        insert(database, "attempt", ATTEMPT | attempt)
    database.execute(b"SELECT nextval('aps.job_job_id_seq')")
    worker = queue(database)
    other = worker.claimed(lease=EXPIRED, key="r2")["job_id"]
    assert states(database, 1, other) == ["inconsistent_row", "adoption"]
    adopted = worker.adopt("w2")
    assert adopted
    assert adopted["job_id"] == other
