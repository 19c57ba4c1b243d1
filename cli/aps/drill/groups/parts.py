"""What worker processes do in the groups, beyond the parts of `aps.demo.actor`."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from aps.database import Database, Row
from aps.demo.actor import Part, Prompter
from aps.demo.worker import Worker, read
from aps.drill.ground import Ground, text

LEASE: Final = timedelta(minutes=14)
SHORT: Final = timedelta(milliseconds=500)
MANY: Final = 99
TRIES: Final = 3
_PAUSE: Final = 0.01
NOTHING: Final = "nothing eligible"
NOT_NOW: Final = "not available now"


def claims_openly(ground: Ground, name: str) -> Part:
    """On the cue it claims in a transaction of its own, tells the job, and leaves the transaction open."""

    def part(worker: Worker, prompter: Prompter, store: Path) -> None:
        prompter.wait()
        with worker.connect() as session:
            session.begin_write()
            rows = session.rows(_statement(ground, "claim"), {"worker": name, "lease": LEASE})
            prompter.tell(_spoken(rows))
            prompter.wait()

    return part


def tries(ground: Ground, name: str) -> Part:
    """At each cue it tries a few times, and tells why it got nothing: by a look that takes no lock."""

    def part(worker: Worker, prompter: Prompter, store: Path) -> None:
        with worker.connect() as session:
            while True:
                prompter.wait()
                prompter.tell(_tried(ground, session, name))

    return part


def _tried(ground: Ground, session: Database, name: str) -> str:
    for number in range(1, TRIES + 1):
        claim = {"worker": name, "lease": LEASE}
        rows = session.call(_statement(ground, "claim"), claim)
        if rows:
            return f"{_spoken(rows)} at try {number}"
        if session.call(text("eligible"), {})[0]["ready"] == "0":
            return f"{NOTHING} at try {number}"
        time.sleep(_PAUSE)
    return f"{NOT_NOW} after {TRIES} tries"


def adopts_once(ground: Ground, name: str) -> Part:
    """At each cue it tries once to adopt, and tells what it got."""

    def part(worker: Worker, prompter: Prompter, store: Path) -> None:
        with worker.connect() as session:
            while True:
                prompter.wait()
                bound = {"worker": name, "lease": LEASE, "abandon_limit": MANY}
                prompter.tell(_spoken(session.call(_statement(ground, "adopt"), bound)))

    return part


def talks(ground: Ground, name: str, lease: timedelta = SHORT) -> Part:
    """It claims at the first cue; then, a cue each: a plain query, a heartbeat. All on one session, as its owner."""

    def part(worker: Worker, prompter: Prompter, store: Path) -> None:
        with worker.connect() as session:
            prompter.wait()
            claim = {"worker": name, "lease": lease}
            (mine,) = session.call(_statement(ground, "claim"), claim)
            prompter.tell(_spoken([mine]))
            prompter.wait()
            (row,) = session.call(text("job"), {"job_id": mine["job_id"]})
            prompter.tell(f"epoch {row['epoch']} of {row['worker']}")
            prompter.wait()
            fence: dict[str, Any] = {"worker": name, "epoch": mine["epoch"]}
            fence |= {"job_id": mine["job_id"], "lease": LEASE, "progress": True}
            (answer,) = session.call(_statement(ground, "heartbeat"), fence)
            prompter.tell(str(answer["answer"]))

    return part


def _statement(ground: Ground, name: str) -> str:
    return read(name, ground.yard.queries)


def _spoken(rows: list[Row]) -> str:
    return f"job {rows[0]['job_id']} epoch {rows[0]['epoch']}" if rows else "nothing"
