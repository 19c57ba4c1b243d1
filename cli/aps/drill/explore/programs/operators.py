"""Operators among workers: reclaims that are overtaken by late owners, by adoptions, and by each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aps.database import Row
from aps.drill.explore.program import LEASE, Hand, Program, Role
from aps.drill.explore.programs import operating, parties, setups
from aps.drill.explore.programs.operating import STEPS, acts
from aps.drill.explore.scene import Scene

RECLAIM: Final = ("reclaim", "adoption")


def _operator(*words: str) -> Role:
    return Role(acts(*words), "aps_operate")


def poisoned(scene: Scene) -> Mapping[str, Row]:
    """Job 1, which three workers lost one after the other; the last was A."""
    setups.accept(scene)
    setups.call(scene, "claim", worker="first", lease=LEASE)
    held: Row = {}
    for worker in ("second", "A"):
        setups.end_leases(scene)
        held = setups.call(scene, "adopt", worker=worker, lease=LEASE, abandon_limit=9)
    setups.end_leases(scene)
    return {"A": held}


def _one_plan_twice(hand: Hand) -> None:
    """What has been done is told as done, whoever asks again with the same plan."""
    made = operating.plan(hand, *RECLAIM)
    if made is None:
        return
    hand.cue("apply")
    first = operating.apply(hand, made).counts
    hand.cue("apply again")
    again = operating.apply(hand, made).counts
    if first.get("applied") and not again.get("already"):
        hand.fault("what an operation has done is told as done", f"{dict(again)}")


ONE_OPERATOR: Final = Program(
    "one-operator",
    "an owner, one that adopts, an operator that reclaims, and a lease that ends",
    {
        "A": Role(parties.goes_on),
        "B": Role(parties.adopts),
        "O": _operator(*RECLAIM),
        "time": parties.CLOCK,
    },
    setups.held_by_a,
)
STEP_BY_STEP: Final = Program(
    "step-by-step",
    "a reclaim overtaken at each of its steps by the late owner and by one that adopts",
    {
        "A": Role(Hand.publish),
        "B": Role(parties.adopts),
        "O": _operator(*RECLAIM, *STEPS),
    },
    setups.lost_by_a,
)
TWO_OPERATORS: Final = Program(
    "two-operators",
    "two reclaims of one job that overtake each other, and one that adopts",
    {
        "B": Role(parties.adopts),
        "O": _operator(*RECLAIM, "locked", "journaled"),
        "P": _operator(*RECLAIM, "locked", "journaled"),
    },
    setups.lost_by_a,
)
OLD_PLAN: Final = Program(
    "old-plan",
    "a plan that was made before the job had other owners, whose leases are over by now too",
    {
        "O": _operator(*RECLAIM, "locked"),
        "B": Role(parties.adopted),
        "time": parties.CLOCK,
        "C": Role(parties.claims_and_publishes),
    },
    setups.lost_by_a,
)
ONE_PLAN: Final = Program(
    "one-plan",
    "one plan applied twice while one worker adopts and another claims",
    {
        "B": Role(parties.adopts),
        "C": Role(parties.claims_and_publishes),
        "O": Role(_one_plan_twice, "aps_operate"),
    },
    setups.lost_by_a,
)
POISONED: Final = Program(
    "poisoned",
    "a job that three workers lost, failed by an operator while its late owner, a caller and one that adopts are about",
    {
        "A": Role(Hand.publish),
        "B": Role(parties.adopts),
        "O": _operator("reclaim", "poisoned", "locked", "acted", "journaled"),
        "X": Role(parties.cancels(1, 3)),
    },
    poisoned,
)
PROGRAMS: Final = (ONE_OPERATOR, STEP_BY_STEP, TWO_OPERATORS, OLD_PLAN, ONE_PLAN, POISONED)
