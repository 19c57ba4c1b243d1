"""Claimers that wait for one another, and why those of the queue do not."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Final

from aps.database import Database, QueryError
from aps.demo.actor import Part, Prompter
from aps.demo.worker import Worker
from aps.drill.ground import Ground
from aps.drill.scene import LONG, Scene
from aps.drill.scene import scene as opened
from aps.drill.script import Notes, Script

_TAKE: Final = (Path(__file__).parents[1] / "sql" / "take_named.sql").read_text(encoding="utf-8")
_DEADLOCK: Final = "40P01"
_BOTH: Final = "both"
_DIGEST: Final = f"sha256:{'0' * 64}"
_CLAIMERS: Final = 8
_JOBS: Final = 6
_ROUNDS: Final = 25
_OVER_AT_ONCE: Final = timedelta()
_NEVER_POISONED: Final = 10**6
_TAKEN: Final = "taken"
_NOTHING: Final = "nothing"


def _careless(name: str, order: tuple[int, int]) -> Part:
    """In one transaction: at the first cue take the first job, at the second one the other; tell what came of it."""

    def part(worker: Worker, prompter: Prompter, _: Path) -> None:
        prompter.wait()
        with worker.connect() as session:
            session.begin_write()
            for job in order:
                try:
                    session.rows(_TAKE, {"job_id": job, "worker": name, "lease": LONG})
                except QueryError as error:
                    session.rollback()
                    prompter.tell(error.sqlstate)
                    return
                if job == order[0]:
                    prompter.tell("one")
                    prompter.wait()
            session.commit()
            prompter.tell(_BOTH)

    return part


def crossed(ground: Ground, notes: Notes) -> None:
    orders = {"forwards": (1, 2), "backwards": (2, 1)}
    claimers = {
        name: ground.actor(_careless(name, order), LONG, name=name)
        for name, order in orders.items()
    }
    with opened(ground, notes) as scene:
        jobs = [scene.accept(name) for name in orders]
        for _ in range(2):
            for claimer in claimers.values():
                claimer.cue()
            told = {name: claimer.news() for name, claimer in claimers.items()}
        notes.did("two workers took two jobs in one transaction each, in opposite order")
        notes.saw("how the transactions ended", sorted(told.values()), [_DEADLOCK, _BOTH])
        (winner,) = (name for name, how in told.items() if how == _BOTH)
        (loser,) = (name for name in orders if name != winner)
        for job in jobs:
            _belongs(scene, job, winner, loser)
        scene.fits()


def _belongs(scene: Scene, job: int, winner: str, loser: str) -> None:
    notes, row = scene.notes, scene.row(job)
    owner = (row["state"], row["worker"], row["epoch"])
    notes.saw(f"job {job}: state, worker, epoch", owner, ("running", winner, "1"))
    owned = [
        (one["epoch"], one["worker"])
        for one in scene.ground.ask(scene.reader, "attempts", job_id=job)
    ]
    notes.saw(f"job {job}: the epochs ever handed out", owned, [("1", winner)])
    # Both had epoch 1 in hand; that of the loser was rolled back, and given out again.
    answers = {}
    for name in (loser, winner):
        fence = {"job_id": job, "worker": name, "epoch": 1, "digest": _DIGEST}
        answers[name] = (scene.ground.worker(scene.session, "publish", **fence) or {}).get("answer")
    expected = {loser: "rejected", winner: "published"}
    notes.saw(f"job {job}: a publication of each, under epoch 1", answers, expected)


def _claims(ground: Ground, name: str) -> Part:
    """At the cue take and give back, many times over; tell how often it took a job, and every error."""

    def part(worker: Worker, prompter: Prompter, _: Path) -> None:
        seen: Counter[str] = Counter()
        prompter.wait()
        with worker.connect() as session:
            for number in range(_ROUNDS):
                # Now and then one is abandoned at once, and the job is there to be adopted.
                lease = LONG if number % 4 else _OVER_AT_ONCE
                try:
                    seen[_round(ground, session, name, lease)] += 1
                except QueryError as error:
                    seen[error.sqlstate] += 1
        prompter.tell(json.dumps(seen))

    return part


def _round(ground: Ground, session: Database, name: str, lease: timedelta) -> str:
    bound = {"worker": name, "lease": lease, "abandon_limit": _NEVER_POISONED}
    taken = ground.worker(session, "adopt", **bound) or ground.worker(session, "claim", **bound)
    if not taken:
        return _NOTHING
    fence = {"job_id": taken["job_id"], "worker": name, "epoch": taken["epoch"]}
    ground.worker(session, "release", **fence)
    return _TAKEN


def single(ground: Ground, notes: Notes) -> None:
    names = [f"w{number}" for number in range(1, _CLAIMERS + 1)]
    claimers = [ground.actor(_claims(ground, name), LONG, name=name) for name in names]
    with opened(ground, notes) as scene:
        jobs = [scene.accept(f"r{number}") for number in range(_JOBS)]
        for claimer in claimers:
            claimer.cue()
        seen = Counter[str]()
        for claimer in claimers:
            seen.update(json.loads(claimer.news()))
        taken, nothing = seen.pop(_TAKEN, 0), seen.pop(_NOTHING, 0)
        notes.did(
            f"{_CLAIMERS} processes claimed, adopted and released {_JOBS} jobs, {_ROUNDS} times each and all at once: "
            f"{taken} times one took a job, {nothing} times it got nothing"
        )
        notes.saw("errors, by SQLSTATE", dict(seen), {})
        epochs = sum(int(scene.row(job)["epoch"] or 0) for job in jobs)
        notes.saw("epochs handed out", epochs, taken)
        scene.fits()


SCRIPTS: Final = (
    Script(
        "claimers-deadlocked",
        "Two careless claimers take two jobs in opposite order",
        "PostgreSQL ends one of them; the other has both jobs, no job is lost, and the epochs that were rolled back "
        "give no authority",
        "that it is harmless: the loser does nothing until its transaction is rolled back, and the epochs that it was "
        "told are handed out again, to another worker",
        crossed,
    ),
    Script(
        "claims-without-deadlock",
        "Many processes claim, adopt and release the same jobs",
        "in these rounds no claim, adoption or release met a deadlock or any other error, and no epoch was lost",
        "that none can: that follows from each statement locking one job and a claim waiting for none, not from trying",
        single,
    ),
)
