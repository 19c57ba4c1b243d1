"""The reference queue as its workers and callers use it: the statements of queries/worker, one a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from psycopg.rows import dict_row

from aps import packs
from tests.support.database import Connection, Database

Answer = dict[str, Any]

DIGEST = "sha256:" + "ab" * 32
OTHER_DIGEST = "sha256:" + "cd" * 32
LEASED = ("heartbeat", "publish", "fail", "release")
_AS_SHIPPED: Mapping[str, str] = MappingProxyType({})


@cache
def text(name: str) -> str:
    """The statement as shipped."""
    return (packs.HOME / "queries" / "worker" / f"{name}.sql").read_text(encoding="utf-8")


def altered(name: str, old: str, new: str) -> dict[str, str]:
    """That statement with one thing wrong in it, for `Queue`."""
    assert old in text(name), f"{name}.sql has no {old!r}"
    return {name: text(name).replace(old, new)}


def queue(database: Database) -> Queue:
    """The queue over a session of its own, as a worker has it."""
    return Queue(session(database))


def session(database: Database) -> Connection:
    """A session of the role that workers have; it waits for no lock for ever."""
    connection = database.connect("aps_work")
    connection.execute(b"SET statement_timeout = '40 s'")
    return connection


def leased(queue: Queue, name: str, job: int, worker: str, epoch: int) -> Answer | None:
    """One of the four statements that need the lease."""
    calls: dict[str, Callable[[int, str, int], Answer | None]] = {
        "heartbeat": queue.heartbeat,
        "publish": queue.publish,
        "fail": queue.fail,
        "release": queue.release,
    }
    return calls[name](job, worker, epoch)


class Queue:
    """Each method returns the one row that its statement returned, or None.

    A lease is the text of an interval; `-1 s` gives one that is over already.
    """

    def __init__(self, connection: Connection, statements: Mapping[str, str] = _AS_SHIPPED) -> None:
        self.connection = connection
        self._statements = statements

    @property
    def pid(self) -> int:
        return self.connection.info.backend_pid

    def run(self, name: str, **bound: Any) -> Answer | None:
        statement = self._statements.get(name) or text(name)
        with self.connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(statement.encode(), bound)
            rows = cursor.fetchall()
        assert len(rows) <= 1
        return rows[0] if rows else None

    def accept(self, key: str, input_name: str | None = None, kind: str = "export") -> Answer:
        """With an input name the job waits for its input, of the digest DIGEST."""
        digest = DIGEST if input_name else None
        answer = self.run(
            "accept", request_key=key, kind=kind, input_name=input_name, input_digest=digest
        )
        assert answer
        return answer

    def confirm(self, job: int, digest: str = DIGEST) -> Answer | None:
        return self.run("confirm_input", job_id=job, digest=digest)

    def claim(self, worker: str, lease: str = "10 min") -> Answer | None:
        return self.run("claim", worker=worker, lease=lease)

    def adopt(self, worker: str, lease: str = "10 min", abandon_limit: int = 3) -> Answer | None:
        return self.run("adopt", worker=worker, lease=lease, abandon_limit=abandon_limit)

    def heartbeat(
        self, job: int, worker: str, epoch: int, lease: str = "10 min", progress: bool = False
    ) -> Answer | None:
        bound = {"job_id": job, "worker": worker, "epoch": epoch}
        return self.run("heartbeat", **bound, lease=lease, progress=progress)

    def publish(self, job: int, worker: str, epoch: int, digest: str = DIGEST) -> Answer | None:
        return self.run("publish", job_id=job, worker=worker, epoch=epoch, digest=digest)

    def fail(self, job: int, worker: str, epoch: int, retry: bool = False) -> Answer | None:
        bound = {"job_id": job, "worker": worker, "epoch": epoch}
        return self.run("fail", **bound, reason="it broke", retry=retry)

    def release(self, job: int, worker: str, epoch: int) -> Answer | None:
        return self.run("release", job_id=job, worker=worker, epoch=epoch)

    def cancel(self, job: int, epoch: int) -> Answer | None:
        return self.run("cancel", job_id=job, epoch=epoch, reason="not needed")

    def claimed(self, worker: str = "w1", lease: str = "10 min", key: str = "r1") -> Answer:
        """A new job, claimed: the shortest way to a running one."""
        self.accept(key)
        answer = self.claim(worker, lease)
        assert answer
        return answer

    def job(self, job: int) -> Answer:
        """The whole row."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(b"SELECT * FROM aps.job WHERE job_id = %s", [job]).fetchone()
        assert row
        return row

    def ends(self, job: int) -> list[tuple[int, str | None]]:
        """Its attempts, oldest first: epoch and how it ended, None for an open one."""
        cursor = self.connection.execute(
            b"SELECT epoch, ended_as FROM aps.attempt WHERE job_id = %s ORDER BY epoch", [job]
        )
        return [(row[0], row[1]) for row in cursor]

    def events(self, job: int) -> list[tuple[str, int | None, str | None]]:
        """What happened to it, in order: kind, and epoch and worker of the one who acted."""
        cursor = self.connection.execute(
            b"SELECT kind, epoch, worker FROM aps.event WHERE job_id = %s ORDER BY event_id", [job]
        )
        return [(row[0], row[1], row[2]) for row in cursor]
