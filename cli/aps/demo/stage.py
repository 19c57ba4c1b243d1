"""A queue whose states exist because worker processes did real work: no row is forged, no time is changed."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from aps import database
from aps.database import Row
from aps.demo import actor
from aps.demo.actor import Actor, Part
from aps.demo.export import digest
from aps.demo.family import Family
from aps.demo.worker import read
from aps.errors import DatabaseError

_SQL: Final = Path(__file__).parent / "sql"
_ABANDON_LIMIT: Final = 3
# Of those that are to lose their job: short, so that the lease is soon over.
_SHORT: Final = timedelta(seconds=0.4)
_STEADY: Final = timedelta(seconds=30)
# Below the longest lease that the matrix permits (15 min).
_LONG: Final = timedelta(minutes=14)
_DEADLINE: Final = 20.0
_POLL: Final = 0.01

_CUSTOMERS: Final = b"customer,country\n1001,NL\n1002,PT\n"


@dataclass(frozen=True, slots=True)
class Scene:
    """By part: the processes that are still there, and the jobs."""

    workers: dict[str, int]
    jobs: dict[str, int]


class Stage:
    """Forks every worker at once, then, on a session of its own, gives them their cues."""

    def __init__(self, family: Family, dsn: str, store: Path) -> None:
        self._store = store
        self._names = (f"w{number}" for number in range(1, 100))
        self._family, self._dsn = family, dsn
        self._lost = [
            self._actor(actor.held_midway, _SHORT, _ABANDON_LIMIT) for _ in range(_ABANDON_LIMIT)
        ]
        self._busy = self._actor(actor.all_jobs, _LONG)
        self._steady = self._actor(actor.endless_job, _STEADY)
        self._cancelled = self._actor(actor.held_midway, _LONG)
        self._killed = self._actor(actor.held_midway, _SHORT)
        self._stopped = self._actor(actor.held_at_the_end, _SHORT)
        self._modest = self._actor(actor.held_midway, _LONG)
        # After the forks: a session must not be shared with them.
        self._session = database.connect(dsn, application="caller/demo")

    def play(self) -> Scene:
        with self._session:
            # First the job that others are to adopt: while they may, nothing else is ready or overdue.
            poisoned = self._accept("year-end-close")
            self._loses(self._lost[0], poisoned)
            jobs = {"poisoned": poisoned, **self._quiet_jobs()}
            for adopter in self._lost[1:]:
                self._await_overdue(poisoned)
                self._loses(adopter, poisoned)
            jobs |= self._abandoned_jobs()
            jobs |= self._waiting_jobs()
            jobs |= self._unconfirmed_inputs()
            self._mishaps(jobs)
            for part in ("killed", "stopped", "poisoned"):
                self._await_overdue(jobs[part])
        there = {"steady": self._steady, "cancelled": self._cancelled, "stopped": self._stopped}
        return Scene({part: worker.pid for part, worker in there.items()}, jobs)

    def _quiet_jobs(self) -> dict[str, int]:
        """Published ones, one that fails, one that goes on, one that is cancelled under its worker's hands."""
        ready = [self._accept(f"invoices-2026-{month:02}") for month in range(6, 10)]
        ready.append(self._accept("customers-nl", _CUSTOMERS))
        failed = self._accept("customers-pt", _CUSTOMERS)
        self._input("customers-pt").write_bytes(_CUSTOMERS[:20])
        self._busy.cue()
        self._busy.news()
        self._busy.leave()
        steady = self._accept("ledger-2026")
        self._takes(self._steady, steady)
        cancelled = self._accept("ledger-2025")
        self._takes(self._cancelled, cancelled)
        self._call("cancel", job_id=cancelled, epoch=1, reason="its caller asked for 2026 instead")
        published = {"published": ready[0], "removed": ready[1], "truncated": ready[2]}
        return published | {"failed": failed, "steady": steady, "cancelled": cancelled}

    def _abandoned_jobs(self) -> dict[str, int]:
        """A worker killed and one stopped in the middle of their jobs, and one that gives its job back."""
        killed = self._accept("invoices-2026-10")
        self._loses(self._killed, killed)
        stopped = self._accept("invoices-2026-11")
        self._takes(self._stopped, stopped)
        self._stopped.freeze()
        # Heard only when it is woken: it then has nothing left to do but to publish.
        self._stopped.cue()
        released = self._accept("payroll-2026-11")
        self._takes(self._modest, released)
        os.kill(self._modest.pid, signal.SIGTERM)
        self._modest.cue()
        self._modest.news()
        self._modest.leave()
        return {"killed": killed, "stopped": stopped, "released": released}

    def _waiting_jobs(self) -> dict[str, int]:
        """Ready ones, one whose input nobody confirms, and a request key that comes again."""
        for country in ("be", "de", "fr", "it", "lu"):
            self._accept(f"vat-2026-q4-{country}")
        self._accept("customers-be", _CUSTOMERS)
        unconfirmed = self._accept("customers-lu", _CUSTOMERS, confirm=False)
        self._accept("vat-2026-q4-lu", answer="repeated")
        self._accept("vat-2026-q4-lu", kind="forecast", answer="conflict")
        return {"unconfirmed": unconfirmed}

    def _unconfirmed_inputs(self) -> dict[str, int]:
        """One whose producer wrote something else, and one whose producer wrote nothing."""
        different = self._accept("customers-fr", _CUSTOMERS, confirm=False)
        self._input("customers-fr").write_bytes(_CUSTOMERS[:20])
        absent = self._accept("customers-it", _CUSTOMERS, confirm=False)
        self._input("customers-it").unlink()
        return {"different": different, "absent": absent}

    def _mishaps(self, jobs: dict[str, int]) -> None:
        """A published file that somebody removed, one that was cut short, and an input whose request never came."""
        self._file(jobs["removed"]).unlink()
        truncated = self._file(jobs["truncated"])
        os.truncate(truncated, truncated.stat().st_size // 2)
        self._input("customers-de").write_bytes(_CUSTOMERS)

    def _file(self, job: int) -> Path:
        """The one file that was written for a job."""
        (file,) = (self._store / str(job)).iterdir()
        return file

    def _accept(
        self,
        key: str,
        content: bytes | None = None,
        *,
        kind: str = "export",
        confirm: bool = True,
        answer: str = "accepted",
    ) -> int:
        """What a caller does: send the request and, where it has an input, write that and confirm it."""
        row = self._call(
            "accept",
            request_key=key,
            kind=kind,
            input_name=f"inputs/{key}.csv" if content else None,
            input_digest=digest(content) if content else None,
        )
        if row["answer"] != answer:
            raise DatabaseError(f"request {key} was answered as {row['answer']}, not as {answer}")
        job = int(row["job_id"] or 0)
        if content:
            self._input(key).write_bytes(content)
            if confirm:
                self._call("confirm_input", job_id=job, digest=digest(content))
        return job

    def _input(self, key: str) -> Path:
        return self._store / "inputs" / f"{key}.csv"

    def _loses(self, worker: Actor, job: int) -> None:
        self._takes(worker, job)
        worker.kill()

    def _takes(self, worker: Actor, job: int) -> None:
        taken = worker.holds()
        if taken != job:
            raise DatabaseError(f"the demo's worker {worker.name} took job {taken}, not {job}")

    def _await_overdue(self, job: int) -> None:
        sql = (_SQL / "standing.sql").read_text(encoding="utf-8")
        deadline = time.monotonic() + _DEADLINE
        while self._session.call(sql, {"job_id": job})[0]["overdue"] != "t":
            if time.monotonic() > deadline:
                raise DatabaseError(f"the lease of the demo's job {job} does not end")
            time.sleep(_POLL)

    def _call(self, statement: str, **parameters: Any) -> Row:
        return self._session.call(read(statement), parameters)[0]

    def _actor(self, part: Part, lease: timedelta, abandon_limit: int | None = None) -> Actor:
        name = next(self._names)
        return Actor(self._family, name, part, self._dsn, self._store, lease, abandon_limit)
