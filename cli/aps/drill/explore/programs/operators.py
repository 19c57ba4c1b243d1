"""Operators among workers: the engine's own plan and apply, whole or in its named steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aps import action, planning
from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import setups, workers
from aps.errors import ApsError
from aps.model.operation import Authority
from aps.model.plan import Plan
from aps.planning import Selection
from aps.run import Run

# Where an apply may be overtaken: the other named steps lie between two of these without a lock taken or given up.
STEPS: Final = ("locked", "judged", "acted", "journaled", "committed")


def plan(hand: Hand, state: str = "adoption") -> Plan | None:
    """One step: what `aps reclaim --state STATE --all` would do now."""
    hand.cue("plan")
    try:
        made = planning.plan(
            hand.scene.ground.matrix, hand.session, "reclaim", Selection(state=state)
        )
    except ApsError as error:
        hand.tell("plan", f"none: {error}")
        return None
    hand.tell("plan", f"{len(made.jobs)} jobs")
    return made if made.jobs else None


def apply(hand: Hand, made: Plan, at: tuple[str, ...] = ()) -> None:
    """The apply, overtaken at those of its steps."""
    hand.cue("apply")

    def pause(step: str) -> None:
        if step in at:
            hand.tell(f"apply {step}", "done")
            hand.cue(f"apply after {step}")

    done = action.apply(
        Run(
            plan=made,
            matrix=hand.scene.ground.matrix,
            authority=Authority("exploring", user=hand.name, client_host="drill"),
            connect=lambda: hand.session,
            pause=pause,
        )
    )
    hand.tell("apply", ", ".join(f"{count} {outcome}" for outcome, count in done.counts.items()))
    for reason in (*done.not_verified, *([done.rolled_back] if done.rolled_back else ())):
        hand.fault("an apply ends as it must", reason)


def reclaims(*at: str) -> Callable[[Hand], None]:
    def play(hand: Hand) -> None:
        made = plan(hand)
        if made:
            apply(hand, made, at)

    return play


ONE_OPERATOR: Final = Program(
    "one-operator",
    "an owner, one that adopts, an operator that reclaims, and a lease that ends once",
    {
        "A": Role(workers.goes_on),
        "B": Role(workers.adopts),
        "O": Role(reclaims(), "aps_operate"),
        "time": Role(Hand.end_leases, "postgres"),
    },
    setups.held_by_a,
)
STEP_BY_STEP: Final = Program(
    "step-by-step",
    "a reclaim overtaken at each of its steps by its late owner and by one that adopts",
    {
        "A": Role(Hand.publish),
        "B": Role(workers.adopts),
        "O": Role(reclaims(*STEPS), "aps_operate"),
    },
    setups.lost_by_a,
)
TWO_OPERATORS: Final = Program(
    "two-operators",
    "two reclaims of one job, overtaken by each other at their steps, and one that adopts",
    {
        "B": Role(workers.adopts),
        "O": Role(reclaims("locked", "journaled"), "aps_operate"),
        "P": Role(reclaims("locked", "journaled"), "aps_operate"),
    },
    setups.lost_by_a,
)
