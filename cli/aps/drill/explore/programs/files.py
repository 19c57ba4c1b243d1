"""Operators and the store: inputs confirmed, publications withdrawn, orphans moved, while workers and others go on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from typing import Final

from aps.database import Row
from aps.drill.explore.program import LEASE, Hand, Program, Role, digest
from aps.drill.explore.programs import callers, parties, setups
from aps.drill.explore.programs.operating import MOVES, acts, apply, plan
from aps.drill.explore.scene import Scene
from aps.store import QUARANTINE

_BYTES: Final = b"A"
_WITHDRAW: Final = ("reconcile", "missing_artifact")
_QUARANTINE: Final = ("reconcile", "orphan_candidate")


def write(scene: Scene, name: str, content: bytes) -> None:
    """A file of that name in the store."""
    file = scene.ground.store / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    scene.told.written.add(name)


def _sweep(scene: Scene) -> None:
    """Nothing is left in the store but its identity."""
    for entry in scene.ground.store.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)


def input_there(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which waits for its input, and the file that its digest is of."""
    _sweep(scene)
    setups.waiting(scene)
    write(scene, str(setups.INPUT["input_name"]), b"input")
    return {}


def file_gone(scene: Scene) -> Mapping[str, Row]:
    """Job 1, published by A, whose file nobody finds."""
    _sweep(scene)
    held = setups.held_by_a(scene)
    row = held["A"]
    fence = {"job_id": 1, "worker": "A", "epoch": 1}
    setups.call(scene, "publish", **fence, digest=digest("A"))
    return {"F": row, "H": row}


def orphan_there(scene: Scene) -> Mapping[str, Row]:
    """Job 1, adopted by B under epoch 2; both have written their files, and neither has published."""
    _sweep(scene)
    held = setups.lost_by_a(scene)
    adopted = setups.call(scene, "adopt", worker="B", lease=LEASE, abandon_limit=9)
    write(scene, str(held["A"]["candidate"]), b"A")
    write(scene, str(adopted["candidate"]), b"B")
    return {"A": held["A"], "B": adopted} | dict.fromkeys(("H", "O", "Q"), held["A"])


def candidate_there(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which A lost with its file written."""
    _sweep(scene)
    held = setups.lost_by_a(scene)
    write(scene, str(held["A"]["candidate"]), b"A")
    return held


def _comes_back(hand: Hand) -> None:
    """The file lies under its name again, from a backup."""
    hand.cue("the file comes back")
    write(hand.scene, str((hand.holds or {})["candidate"]), _BYTES)
    hand.tell("the file comes back", "written")


def _adopts_and_writes(hand: Hand) -> None:
    """Its file is written before it is published, as by any worker."""
    if hand.take("adopt", abandon_limit=9):
        write(hand.scene, str((hand.holds or {})["candidate"]), hand.worker.encode())
        hand.publish()


def files_stand(scene: Scene) -> Iterator[tuple[str, str]]:
    """What a valid result names lies under its name; what was written lies there, or in quarantine."""
    store = scene.ground.store
    for row in scene.ask("written"):
        name = str(row["candidate"])
        if name not in scene.told.written or (store / name).is_file():
            continue
        if row["valid"] == "t":
            yield "what a valid result names lies in the store", name
        if row["current"] == "t":
            yield "the file of the current epoch is not touched", name
        if not any(store.glob(f"{QUARANTINE}/*/{name}")):
            yield "no file is lost", name
        if row["intended"] != "t":
            yield "no file is moved that the journal does not know of", name


def _needs_it(hand: Hand) -> None:
    """A request that takes the orphan as its input."""
    name = str((hand.holds or {})["candidate"])
    given = {"kind": "export", "input_name": name, "input_digest": digest("A")}
    hand.write("accept", request_key="needs it", **given)


def _moves(hand: Hand) -> None:
    """The cleanup; a file that was named before it asked for the last time is back under its name."""
    made = plan(hand, *_QUARANTINE)
    if made is None:
        return
    hand.cue("apply")
    apply(hand, made, ("committed", "moved"))
    name = str((hand.holds or {})["candidate"])
    asked_for = "Q accept: accepted" in hand.scene.told.steps
    if asked_for and not (hand.scene.ground.store / name).is_file():
        hand.fault("a file that a row names is not kept away", name)


CONFIRM: Final = Program(
    "confirm",
    "an input confirmed by an operator, by its producer, and a cancellation, and a worker that claims",
    {
        "P": Role(callers.confirms("input")),
        "O": Role(
            acts("reconcile", "unconfirmed_materialization", "locked", "acted", "journaled"),
            "aps_operate",
        ),
        "X": Role(parties.cancels(1, 0)),
        "A": Role(parties.claims_and_publishes),
    },
    input_there,
)
WITHDRAW: Final = Program(
    "withdraw",
    "two operators that withdraw one publication, while its file comes back",
    {
        "F": Role(_comes_back),
        # A file that comes back after it was looked at is told as not verified: that is the truth.
        "O": Role(acts(*_WITHDRAW, "locked", "journaled", verified=False), "aps_operate"),
        "P": Role(acts(*_WITHDRAW, "locked", verified=False), "aps_operate"),
    },
    file_gone,
)
QUARANTINED: Final = Program(
    "quarantine",
    "two cleanups of one orphan that overtake each other at the steps of its move, and the owner that publishes",
    {
        "B": Role(Hand.publish),
        "O": Role(acts(*_QUARANTINE, *MOVES), "aps_operate"),
        "P": Role(acts(*_QUARANTINE), "aps_operate"),
    },
    orphan_there,
    files_stand,
)
NEEDED_AGAIN: Final = Program(
    "needed-again",
    "a cleanup of an orphan that a request takes as its input, at each step of the move",
    {
        "B": Role(Hand.publish),
        "O": Role(_moves, "aps_operate"),
        "Q": Role(_needs_it),
    },
    orphan_there,
    files_stand,
)
ALL_HANDS: Final = Program(
    "all-hands",
    "a late owner, one that adopts, an operator that reclaims, and another that quarantines",
    {
        "A": Role(parties.goes_on),
        "B": Role(_adopts_and_writes),
        "O": Role(acts("reclaim", "adoption"), "aps_operate"),
        "R": Role(acts(*_QUARANTINE, at_once=True), "aps_operate"),
    },
    candidate_there,
    files_stand,
)
PROGRAMS: Final = (CONFIRM, WITHDRAW, QUARANTINED, NEEDED_AGAIN, ALL_HANDS)
