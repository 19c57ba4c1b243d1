from __future__ import annotations

import psycopg
import pytest

from tests.support.database import Database
from tests.support.queue import OTHER_DIGEST, queue
from tests.support.rows import (
    CANCELLED,
    COMPLETE,
    EVENT,
    FAILED,
    READY,
    RUNNING,
    Row,
    insert,
    refused_by,
)

TOGETHER = "ready_at = clock_timestamp(), finished_at = NULL, reason = NULL"
FREE = "worker = NULL, lease_until = NULL, candidate = NULL"


def changed(database: Database, change: str) -> str:
    """The constraint that refuses this change of the one job; empty where none does."""
    return refused_by(database.connect("postgres"), f"UPDATE aps.job SET {change}".encode())


@pytest.mark.parametrize("epoch", ["epoch - 1", "epoch + 2", "0", "9223372036854775807"])
def test_an_epoch_neither_falls_nor_rises_by_more_than_one(database: Database, epoch: str) -> None:
    insert(database, "job", READY | {"epoch": 5})
    assert changed(database, f"epoch = {epoch}") == "epoch_rises_by_one"
    assert changed(database, "epoch = epoch + 1") == ""


def test_a_job_at_the_end_of_the_epochs_can_still_be_ended(database: Database) -> None:
    insert(database, "job", READY | {"epoch": 9223372036854775807})
    assert changed(database, "state = 'cancelled', finished_at = clock_timestamp()") == ""


@pytest.mark.parametrize("row", [COMPLETE, CANCELLED, FAILED])
@pytest.mark.parametrize("state", ["ready", "complete", "cancelled", "failed"])
def test_a_finished_job_is_never_opened_again_or_ended_otherwise(
    database: Database, row: Row, state: str
) -> None:
    insert(database, "job", row)
    ended = state != "ready"
    times = "finished_at = clock_timestamp()" if ended else f"{TOGETHER}, {FREE}"
    expected = "" if state == row["state"] else "finished_stays_finished"
    assert changed(database, f"state = '{state}', {times}") == expected


@pytest.mark.parametrize("row", [CANCELLED, FAILED])
def test_a_finished_job_keeps_its_epoch(database: Database, row: Row) -> None:
    insert(database, "job", row)
    change = f"epoch = epoch + 1, {FREE}"
    assert changed(database, change) == "finished_stays_finished"


@pytest.mark.parametrize("change", ["worker = 'w2'", "candidate = '1/1-b'"])
def test_a_new_owner_or_file_needs_a_new_epoch(database: Database, change: str) -> None:
    insert(database, "job", RUNNING)
    assert changed(database, change) == "owner_has_own_epoch"
    assert changed(database, "worker = 'w2', epoch = 2, candidate = '1/2-a'") == ""
    assert changed(database, "lease_until = clock_timestamp()") == ""


def test_a_claim_that_does_not_raise_the_epoch_is_refused(database: Database) -> None:
    insert(database, "job", READY | {"epoch": 1})
    owner = "worker = 'w1', lease_until = clock_timestamp(), candidate = '1/1-a'"
    assert changed(database, f"state = 'running', {owner}") == "owner_has_own_epoch"


@pytest.mark.parametrize(
    "change",
    [f"published_digest = '{OTHER_DIGEST}'", "published_name = '1/1-b'", "published_at = now()"],
)
def test_a_publication_is_withdrawn_and_never_changed(database: Database, change: str) -> None:
    insert(database, "job", COMPLETE)
    assert changed(database, change) == "publication_stays"
    assert changed(database, "withdrawn_at = now()") == ""


@pytest.mark.parametrize(
    "statement",
    [b"UPDATE aps.event SET detail = 'x'", b"DELETE FROM aps.event", b"TRUNCATE aps.event"],
)
def test_an_event_is_for_ever_even_for_the_superuser(database: Database, statement: bytes) -> None:
    insert(database, "job", READY)
    insert(database, "event", EVENT)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append only"):
        database.execute(statement)
    assert database.execute(b"SELECT count(*) FROM aps.event") == [(1,)]


def test_a_job_with_events_cannot_be_deleted(database: Database) -> None:
    insert(database, "job", READY)
    insert(database, "event", EVENT)
    connection = database.connect("postgres")
    assert refused_by(connection, b"DELETE FROM aps.job") == "event_job_id_fkey"
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append only"):
        connection.execute(b"TRUNCATE aps.job CASCADE")


def test_consumers_see_what_is_published_and_not_withdrawn(database: Database) -> None:
    worker = queue(database)
    jobs = [worker.claimed(key=key) for key in ("r1", "r2", "r3")]
    for job in jobs[:2]:
        worker.publish(job["job_id"], "w1", 1)
    database.execute(
        b"UPDATE aps.job SET withdrawn_at = clock_timestamp() WHERE job_id = %s",
        [jobs[1]["job_id"]],
    )
    results = database.execute(b"SELECT job_id, name, digest, epoch FROM aps.valid_result")
    row = worker.job(jobs[0]["job_id"])
    assert results == [(row["job_id"], jobs[0]["candidate"], row["published_digest"], 1)]
