from __future__ import annotations

from collections.abc import Iterable

from tests.support.database import Database
from tests.support.queue import DIGEST
from tests.support.rows import (
    ATTEMPT,
    CANCELLED,
    COMPLETE,
    EVENT,
    FAILED,
    JOBS,
    MATERIALIZING,
    NOW,
    OWNED,
    PUBLISHED,
    READY,
    RUNNING,
    Row,
    insert,
    insertion,
    refused_by,
)

Case = tuple[str, Row, Row]

WITHOUT_OWNER = {"worker": None, "lease_until": None, "candidate": None}
AT_EPOCH_0 = {"epoch": 0, "candidate": "1/0-a"}
NEVER = "infinity"

# Constraint, a right row, and what makes it wrong.
WRONG_JOBS: list[Case] = [
    ("state_known", READY, {"state": "paused"}),
    ("names_not_empty", READY, {"request_key": ""}),
    ("names_not_empty", READY, {"kind": ""}),
    ("names_not_empty", RUNNING, {"worker": ""}),
    ("epoch_not_negative", READY, {"epoch": -1}),
    ("input_whole", READY, {"input_name": "in/1.csv"}),
    ("input_whole", READY, {"input_digest": DIGEST}),
    ("digests_are_sha256", MATERIALIZING, {"input_digest": "md5:" + "ab" * 16}),
    ("digests_are_sha256", MATERIALIZING, {"input_digest": DIGEST[:-1]}),
    ("digests_are_sha256", COMPLETE, {"published_digest": DIGEST.upper()}),
    ("digests_are_sha256", COMPLETE, {"published_digest": DIGEST + "\n"}),
    *(
        ("input_name_is_plain", MATERIALIZING, {"input_name": name})
        for name in ("/etc/passwd", "in\n1.csv", "../1.csv", "in/../1.csv", "in/.", "./1.csv", "")
    ),
    (
        "materializing_has_input_at_epoch_0",
        MATERIALIZING,
        {"input_name": None, "input_digest": None},
    ),
    ("materializing_has_input_at_epoch_0", MATERIALIZING, {"epoch": 1}),
    *(("ready_time", row, {"ready_at": None}) for row in (READY, RUNNING, COMPLETE)),
    ("ownership_whole", RUNNING, {"lease_until": None}),
    ("ownership_whole", RUNNING, {"candidate": None}),
    ("ownership_whole", CANCELLED, {"worker": None}),
    ("ownership_where_running", RUNNING, WITHOUT_OWNER),
    ("ownership_where_running", MATERIALIZING, OWNED | AT_EPOCH_0),
    *(("ownership_where_running", row, OWNED) for row in (READY, COMPLETE, FAILED)),
    *(
        ("candidate_of_this_epoch", RUNNING, {"candidate": name})
        for name in ("1/2-a", "2/1-a", "1/1-", "1/1-a/b", "1/1-a\n", "/1/1-a", "11/1-a")
    ),
    ("publication_whole", COMPLETE, {"published_digest": None}),
    ("publication_whole", COMPLETE, {"published_epoch": None}),
    ("publication_whole", COMPLETE, {"published_at": None}),
    ("publication_where_complete", COMPLETE, dict.fromkeys([*PUBLISHED][1:])),
    *(("publication_where_complete", row, PUBLISHED) for row in (READY, RUNNING, FAILED)),
    ("publication_of_this_epoch", COMPLETE, {"epoch": 2}),
    ("published_name_of_this_epoch", COMPLETE, {"published_name": "1/2-a"}),
    ("published_name_of_this_epoch", COMPLETE, {"published_name": "1/1-../x"}),
    *(
        ("withdrawn_where_complete", row, {"withdrawn_at": NOW})
        for row in (MATERIALIZING, READY, RUNNING, CANCELLED, FAILED)
    ),
    *(("finished_time", row, {"finished_at": NOW}) for row in (MATERIALIZING, READY, RUNNING)),
    *(("finished_time", row, {"finished_at": None}) for row in (COMPLETE, CANCELLED, FAILED)),
    *(("reason_where_ended", row, {"reason": "why"}) for row in (READY, RUNNING, COMPLETE)),
    *(
        ("times_finite", row, {column: NEVER})
        for row, columns in (
            (RUNNING, ("lease_until", "created_at", "ready_at", "started_at", "updated_at")),
            (COMPLETE, ("published_at", "withdrawn_at", "finished_at")),
        )
        for column in columns
    ),
    ("times_finite", RUNNING, {"lease_until": "-infinity"}),
]
WRONG_ATTEMPTS: list[Case] = [
    ("epoch_positive", ATTEMPT, AT_EPOCH_0),
    ("end_known", ATTEMPT, {"ended_at": NOW, "ended_as": "vanished"}),
    ("end_whole", ATTEMPT, {"ended_at": NOW}),
    ("end_whole", ATTEMPT, {"ended_as": "released"}),
    ("candidate_of_this_epoch", ATTEMPT, {"candidate": "1/2-a"}),
    ("candidate_of_this_epoch", ATTEMPT, {"candidate": "2/1-a"}),
    ("attempt_job_id_fkey", ATTEMPT, {"job_id": 2, "candidate": "2/1-a"}),
]
WRONG_EVENTS: list[Case] = [
    ("kind_known", EVENT, {"kind": "forgotten"}),
    ("event_job_id_fkey", EVENT, {"job_id": 2}),
]


def not_refused(database: Database, table: str, cases: Iterable[Case]) -> list[tuple[str, Row]]:
    """The cases in which the wrong row is not refused by its constraint, or the right row is."""
    connection = database.connect("postgres")
    return [
        (constraint, wrong)
        for constraint, right, wrong in cases
        if refused_by(connection, insertion(table, right | wrong), right | wrong) != constraint
        or refused_by(connection, insertion(table, right), right)
    ]


def test_right_rows_are_taken(database: Database) -> None:
    for number, row in enumerate(JOBS, start=1):
        renamed = {"job_id": number, "request_key": f"r{number}"}
        files = {name: f"{number}/1-a" for name in ("candidate", "published_name") if row.get(name)}
        insert(database, "job", row | renamed | files)
    insert(database, "attempt", ATTEMPT)
    insert(database, "event", EVENT)


def test_every_constraint_of_a_job_refuses_its_wrong_rows(database: Database) -> None:
    assert not_refused(database, "job", WRONG_JOBS) == []


def test_every_constraint_of_an_attempt_refuses_its_wrong_rows(database: Database) -> None:
    insert(database, "job", RUNNING)
    assert not_refused(database, "attempt", WRONG_ATTEMPTS) == []


def test_every_constraint_of_an_event_refuses_its_wrong_rows(database: Database) -> None:
    insert(database, "job", RUNNING)
    assert not_refused(database, "event", WRONG_EVENTS) == []


def test_no_two_jobs_share_a_request_and_no_two_attempts_an_epoch(database: Database) -> None:
    insert(database, "job", RUNNING)
    insert(database, "attempt", ATTEMPT)
    connection = database.connect("postgres")
    same = READY | {"job_id": 2}
    assert refused_by(connection, insertion("job", same), same) == "job_request_key_key"
    other = ATTEMPT | {"candidate": "1/1-b"}
    assert refused_by(connection, insertion("attempt", other), other) == "attempt_pkey"


def test_every_constraint_of_the_schema_has_a_wrong_row_here(database: Database) -> None:
    tested = {name for name, _, _ in WRONG_JOBS + WRONG_ATTEMPTS + WRONG_EVENTS}
    rows = database.execute(
        b"SELECT conname FROM pg_constraint WHERE connamespace = 'aps'::regnamespace"
        b" AND contype IN ('c', 'f')"
    )
    assert {row[0] for row in rows} == tested
