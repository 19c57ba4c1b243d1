"""The reference worker: one job after another, each under a lease. Copy it; docs/worker.md explains every step.

`python -m aps.demo.export --help` runs it on exports. No transaction is open while work is done: each statement of
queries/worker/ is a transaction of its own, and its answer says what became of the job.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO, Final

from aps import packs
from aps.database import Database, Row
from aps.errors import DatabaseError

_RECONNECT_PAUSE: Final = 0.2
QUERIES: Final = packs.HOME / "queries"


@dataclass(frozen=True, slots=True)
class Claim:
    """One ownership: this job, under this epoch, writing this file."""

    job_id: int
    kind: str
    epoch: int
    candidate: str
    input_name: str | None
    input_digest: str | None

    @classmethod
    def of(cls, row: Row) -> Claim:
        return cls(
            job_id=int(row["job_id"] or 0),
            kind=str(row["kind"]),
            epoch=int(row["epoch"] or 0),
            candidate=str(row["candidate"]),
            input_name=row["input_name"],
            input_digest=row["input_digest"],
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """How an ownership ended: published, repeated, rejected, failed, released, or unknown (no answer came)."""

    claim: Claim
    answer: str


class WorkFailed(Exception):
    """The work says that it failed. With `retry` the job is ready again, without it has failed for good."""

    def __init__(self, reason: str, *, retry: bool = False) -> None:
        super().__init__(reason)
        self.retry = retry


class _NotOurs(Exception):
    """The fence refused a heartbeat, or none could be sent: whatever is done now is done without authority."""


class _ToldToStop(Exception):
    pass


# Yields the bytes of the result, step by step; between two steps the lease is renewed.
Work = Callable[[Claim], Iterator[bytes]]


class Worker:
    """`connect` opens a session; `store` is a folder that exists; without `abandon_limit` nothing is adopted.

    `lease` must outlast the longest step of the work threefold: it is renewed between steps, when a third is over.
    `patience` is how long an answer that was lost is asked for again; `queries` is the folder of the queue's SQL.
    """

    def __init__(
        self,
        connect: Callable[[], Database],
        store: Path,
        name: str,
        lease: timedelta,
        abandon_limit: int | None = None,
        patience: timedelta = timedelta(seconds=60),
        queries: Path = QUERIES,
    ) -> None:
        self.connect = connect
        self._database = connect()
        self._store = store
        self._name = name
        self._lease = lease
        self._abandon_limit = abandon_limit
        self._patience = patience
        self._queries = queries
        self._renewed = 0.0
        self.stopping = False

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.__exit__()

    def stop(self) -> None:
        """Give back the job in hand after its present step. Fit for a signal handler."""
        self.stopping = True

    def run_one(self, work: Work) -> Ended | None:
        """Take one job and see it to its end. None: nothing could be taken now, which is not an empty queue."""
        claim = self._take()
        return Ended(claim, self._see_through(claim, work)) if claim else None

    def _take(self) -> Claim | None:
        """Claim what is ready, else adopt what was left. An answer lost here costs one lease, nothing else."""
        # The lease began before the answer came: counted from here, we renew too early rather than too late.
        self._renewed = time.monotonic()
        taken = self._call("claim", worker=self._name, lease=self._lease)
        if not taken and self._abandon_limit is not None:
            limit = self._abandon_limit
            taken = self._call("adopt", worker=self._name, lease=self._lease, abandon_limit=limit)
        return Claim.of(taken[0]) if taken else None

    def _see_through(self, claim: Claim, work: Work) -> str:
        """An error that the work did not foresee is not caught: the lease ends, and the job passes on, counted."""
        try:
            digest = self._write(claim, work)
        except _NotOurs as refused:
            # Stop, and leave the file: it belongs to a spent epoch, and the database knows its name.
            return str(refused)
        except _ToldToStop:
            return self._tell("release", claim)
        except WorkFailed as error:
            return self._tell("fail", claim, reason=str(error), retry=error.retry)
        return self._tell("publish", claim, digest=digest)

    def _write(self, claim: Claim, work: Work) -> str:
        """The candidate, whole and safe on disk; returns its digest."""
        digest = hashlib.sha256()
        with _new_file(self._store, claim.candidate) as file:
            for step in work(claim):
                file.write(step)
                # What was written before a crash is evidence: it must not die with the process.
                file.flush()
                digest.update(step)
                self._between_steps(claim)
        return f"sha256:{digest.hexdigest()}"

    def _between_steps(self, claim: Claim) -> None:
        if self.stopping:
            raise _ToldToStop
        if time.monotonic() - self._renewed < self._lease.total_seconds() / 3:
            return
        asked = time.monotonic()
        answer = self._tell("heartbeat", claim, lease=self._lease, progress=True)
        if answer != "renewed":
            raise _NotOurs(answer)
        self._renewed = asked

    def _tell(self, statement: str, claim: Claim, **more: Any) -> str:
        """Ask until an answer comes: the same epoch and digest may be asked twice and count once.

        After a lost answer `publish` says `repeated` where the first one stands, `rejected` where the lease is over.
        """
        deadline = time.monotonic() + self._patience.total_seconds()
        fence = {"job_id": claim.job_id, "worker": self._name, "epoch": claim.epoch}
        while True:
            try:
                rows = self._call(statement, **fence, **more)
                return str(rows[0]["answer"]) if rows else "rejected"
            except DatabaseError:
                if time.monotonic() > deadline:
                    return "unknown"
                time.sleep(_RECONNECT_PAUSE)
                self._reconnect()

    def _reconnect(self) -> None:
        try:
            fresh = self.connect()
        except DatabaseError:
            return
        self._database.__exit__()
        self._database = fresh

    def _call(self, statement: str, **parameters: Any) -> list[Row]:
        return self._database.call(read(statement, self._queries), parameters)


def read(statement: str, queries: Path = QUERIES) -> str:
    """The text of one statement of the worker's side."""
    return (queries / "worker" / f"{statement}.sql").read_text(encoding="utf-8")


@contextmanager
def _new_file(store: Path, name: str) -> Iterator[BinaryIO]:
    """A file that did not exist. It, and the names that lead to it, are on disk when this ends without an error.

    The store itself is never made: where it is missing, a disk is not mounted.
    """
    path = store / name
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    _fsync_folder(path.parent)
    _fsync_folder(store)


def _fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
