"""What the trials of processes, clocks and crowds share: one session that works on the queue, and one that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from aps.database import Database, Row, timestamp
from aps.drill import rows
from aps.drill.ground import Ground
from aps.drill.script import Notes
from aps.drill.waiting import until

SHORT: Final = timedelta(milliseconds=500)
LONG: Final = timedelta(minutes=14)
MANY: Final = 99
# For what must be done within a lease: a loaded machine may be too slow for the first of these.
LEASES: Final = (timedelta(seconds=0.4), timedelta(seconds=1.5), timedelta(seconds=5))


@dataclass(frozen=True)
class Scene:
    """Open it by `scene`, when every process is forked."""

    ground: Ground
    notes: Notes
    session: Database
    reader: Database

    def accept(self, key: str) -> int:
        return self.ground.accept(self.session, key)

    def row(self, job: int) -> Row:
        return self.ground.job(self.reader, job)

    def result(self, job: int) -> list[tuple[str | None, str | None]]:
        """Name and epoch of what consumers read."""
        found = self.ground.ask(self.reader, "results", job_id=job)
        return [(one["name"], one["epoch"]) for one in found]

    def events(self, job: int) -> list[Row]:
        return self.ground.ask(self.reader, "events", job_id=job)

    def kinds(self, job: int) -> list[str | None]:
        """What happened to it, in a word each."""
        return [event["kind"] for event in self.events(job)]

    def later(self, job: int, kind: str, moment: str | None) -> float:
        """Seconds from a moment to the latest event of that kind."""
        found = self.ground.ask(self.reader, "moments", job_id=job, moment=moment)
        return float([one["later"] for one in found if one["kind"] == kind][-1] or 0)

    def clock(self) -> datetime:
        """Of the server."""
        return timestamp(self.ground.ask(self.reader, "wall")[0]["clock"])

    def left(self, job: int) -> float:
        """Seconds of its lease, by the clock of the server."""
        return float(self.ground.ask(self.reader, "lease_left", job_id=job)[0]["left"] or 0)

    def until_left(self, job: int, seconds: float) -> None:
        """Return when no more of the lease is left."""
        until(lambda: self.left(job) <= seconds, f"the lease of job {job} to pass")

    def overdue(self, job: int) -> None:
        self.ground.overdue(self.reader, job)

    def fits(self) -> None:
        """Rows, attempts, events and journal agree with one another."""
        self.notes.saw("what does not fit together", rows.unfitting(self.ground), [])


@contextmanager
def scene(ground: Ground, notes: Notes) -> Iterator[Scene]:
    with ground.session() as session, ground.session("aps_read") as reader:
        yield Scene(ground, notes, session, reader)


def changed(before: Row, after: Row) -> dict[str, tuple[str | None, str | None]]:
    """The columns that differ, with both values."""
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}
