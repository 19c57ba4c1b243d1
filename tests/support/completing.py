"""What `aps reconcile JOB --epoch N` answers a person who may only look."""

from __future__ import annotations

from datetime import UTC, datetime

from aps import completion, packs
from aps.files import Sight
from aps.model.completion import Asked, Completion
from tests.support.database import Database
from tests.support.looking import connect, reference
from tests.support.queue import Answer


def ask(
    database: Database,
    job: int,
    epoch: int,
    *,
    worker: str | None = None,
    candidate: str | None = None,
    digest: str | None = None,
    sight: Sight | None = None,
    role: str = "aps_read",
) -> Completion:
    asked = Asked(str(epoch), worker, candidate, digest)
    with connect(database, role) as session:
        return completion.answer(reference(), session, str(job), asked, sight)


def ask_of(database: Database, claim: Answer, sight: Sight | None = None) -> Completion:
    """Of a claim, by its epoch alone."""
    return ask(database, claim["job_id"], claim["epoch"], sight=sight)


def acted(database: Database, action: str, job: int) -> None:
    """One action of the pack on this job, as its statement does it."""
    statement = (packs.HOME / "queries" / f"{action}.sql").read_text(encoding="utf-8")
    bound = {
        "operation": "0b7e41d2",
        "reason": "a test",
        "actor": "ops",
        "clock": datetime.now(UTC),
    }
    rows = database.connect("aps_operate").execute(statement.encode(), bound | {"job_id": [job]})
    assert rows.fetchall() == [(job,)]


def contents(database: Database) -> list[object]:
    """Every row of every table of the queue and the journal."""
    tables = database.execute(
        b"SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
        b" WHERE schemaname IN ('aps', 'aps_journal') ORDER BY 1"
    )
    return [
        (name, database.execute(f"SELECT t.ctid::text, t::text FROM {name} t ORDER BY 1".encode()))
        for (name,) in tables
    ]
