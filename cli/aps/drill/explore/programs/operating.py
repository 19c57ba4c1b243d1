"""What an operator does in a program: the engine's own plan and apply, whole or overtaken at its named steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from aps import action, planning
from aps import store as stores
from aps.drill.explore.program import Hand
from aps.errors import ApsError
from aps.files import Sight
from aps.model.operation import Authority, Operation, Result
from aps.model.plan import Plan, PlannedJob
from aps.planning import Selection
from aps.run import Run

# Where an apply of rows may be overtaken; what lies between two of these takes no lock and gives none up.
STEPS: Final = ("locked", "judged", "acted", "journaled", "committed")
# And where one of files may be.
MOVES: Final = ("judged", "committed", "moved", "asked")


def acts(
    command: str, state: str, *at: str, verified: bool = True, at_once: bool = False
) -> Callable[[Hand], None]:
    """Plan by that command what is in that state, and apply it, overtaken `at` those steps.

    Not `verified`: what was done may have become wrong by the time it is looked at again. `at_once`: in one step.
    """

    def play(hand: Hand) -> None:
        made = plan(hand, command, state)
        if made:
            if not at_once:
                hand.cue("apply")
            _held_to(hand, made, apply(hand, made, at), verified)

    return play


def plan(hand: Hand, command: str, state: str, *jobs: str) -> Plan | None:
    """One step: what the command would do now to these jobs, else to all in that state; None where that is nothing."""
    hand.cue("plan")
    chosen = Selection(jobs=jobs) if jobs else Selection(state=state)
    sight = _sight(hand) if command == "reconcile" else None
    try:
        with hand.session as session:
            made = planning.plan(hand.scene.matrix, session, command, chosen, sight)
    except ApsError as error:
        hand.tell("plan", f"none: {error}")
        return None
    hand.tell("plan", f"{len(made.jobs)} {state}")
    return made if made.jobs else None


def apply(hand: Hand, made: Plan, at: tuple[str, ...] = ()) -> Operation:
    """The apply, told step by step."""

    def pause(step: str) -> None:
        if step in at:
            hand.tell(f"apply until {step}", "done")
            hand.cue(f"apply on from {step}")

    done = action.apply(
        Run(
            plan=made,
            matrix=hand.scene.matrix,
            authority=Authority("exploring", user=hand.name, client_host="drill"),
            connect=lambda: hand.session,
            sight=_sight(hand) if made.command == "reconcile" else None,
            pause=pause,
        )
    )
    told = [f"{count} {outcome}" for outcome, count in done.counts.items()]
    told += ["rolled back"] * bool(done.rolled_back) + ["not verified"] * bool(done.not_verified)
    hand.tell("apply", ", ".join(told))
    return done


def _sight(hand: Hand) -> Sight:
    return Sight(stores.open(str(hand.scene.ground.store)), rehash=True)


def _held_to(hand: Hand, made: Plan, done: Operation, verified: bool) -> None:
    """It ends as it must, and what it changed is what its plan saw."""
    if done.rolled_back:
        hand.fault("an apply is not rolled back", done.rolled_back)
    if done.not_verified and verified:
        hand.fault("what was applied can be verified", done.not_verified[0])
    planned = {job.id: job for job in made.jobs}
    for result in done.rows:
        if result.outcome == "applied" and result.id in planned:
            for told in _unseen(planned[result.id], result):
                hand.fault("an apply changes only what its plan saw", told)


def _unseen(planned: PlannedJob, result: Result) -> list[str]:
    """The columns that it changed, where they were not as in the evidence."""
    before: Mapping[str, str | None] = result.before or {}
    seen: Mapping[str, str | None] = planned.evidence[0]
    return [
        f"{name} was {seen[name]} when planned, {before[name]} when changed"
        for name in before
        if name in seen and seen[name] != before[name]
    ]
