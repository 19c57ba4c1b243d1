"""A worker statement that waits for its row until the lease is over, with the shipped text or a wrong one."""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.database import Database
from tests.support.queue import Answer, Queue, leased, queue, session
from tests.support.sessions import eventually, in_background, waits_for_a_lock

# Both hold the row until the transaction ends; only the second leaves a new version of it.
LOCK = b"SELECT FROM aps.job WHERE job_id = %s FOR UPDATE"
UPDATE = b"UPDATE aps.job SET updated_at = clock_timestamp() WHERE job_id = %s"

_LEASES = (0.3, 1.2, 5.0)


def answer_after_the_lease(
    database: Database, name: str, hold: bytes, statements: Mapping[str, str]
) -> Answer:
    """What the statement answers that was sent and stood still within the lease, and ran on after it."""
    for seconds in _LEASES:
        answer = _tried(database, name, hold, statements, seconds)
        if answer:
            return answer
    raise AssertionError("the statement never came to stand still within its lease")


def _tried(
    database: Database, name: str, hold: bytes, statements: Mapping[str, str], seconds: float
) -> Answer | None:
    """None where this machine was too slow for so short a lease."""
    late = Queue(session(database), statements)
    job = queue(database).claimed(lease=f"{seconds} s", key=f"within {seconds} s")["job_id"]
    holder = database.connect(autocommit=False)
    holder.execute(hold, [job])
    with in_background(lambda: leased(late, name, job, "w1", 1)) as waiting:
        eventually(lambda: waits_for_a_lock(database, late.pid))
        in_time = not _is_over(database, job)
        eventually(lambda: _is_over(database, job))
        holder.commit()
    return waiting.result() if in_time else None


def _is_over(database: Database, job: int) -> bool:
    rows = database.execute(
        b"SELECT lease_until <= clock_timestamp() FROM aps.job WHERE job_id = %s", [job]
    )
    return rows == [(True,)]
