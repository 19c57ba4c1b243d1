"""What is more than one script: every interleaving of the programs, and every mutation."""

from __future__ import annotations

import time
from typing import Final

from aps.drill.explore import exploring
from aps.drill.ground import Yard
from aps.drill.mutants import mutating
from aps.drill.part import Part, Played, Tell
from aps.drill.rehearsing import verdict
from aps.drill.script import Notes
from aps.model.drill import Explored, Kind, Mutant, Rehearsal

_INTERLEAVINGS: Final = "Every order of the steps of several sessions keeps the invariants"
_MUTATIONS: Final = "Without any one column or step of the fence the explorer notices"


def _interleavings(yard: Yard, number: int, tell: Tell) -> Played:
    notes, began = Notes(), time.monotonic()
    explored = exploring.explore(yard, lambda count: tell(f"{count:,} interleavings"))
    count = sum(one.interleavings for one in explored)
    notes.did(
        f"{len(explored)} programs of two to five sessions were run in every order of their steps"
    )
    notes.did(
        f"{count:,} interleavings, {sum(one.steps for one in explored):,} steps, of which "
        f"{sum(one.waits for one in explored):,} waited for a lock"
    )
    notes.did(
        f"{sum(one.diverged for one in explored):,} of them did not begin as the one before them; the invariants were "
        "asked of these from their first step"
    )
    for one in explored:
        _seen(notes, one)
    return Played(_told(number, "interleavings", notes, began), explored=tuple(explored))


def _seen(notes: Notes, one: Explored) -> None:
    """What was violated in one program; where nothing was, that it was really run."""
    for violation in one.violations:
        after = "; ".join(violation.steps)
        notes.saw(
            f"{one.program}: {violation.invariant}", f"{violation.detail}, after: {after}", "held"
        )
    if not one.violations:
        holds = one.interleavings > 1
        notes.held(
            f"{one.program}: invariants", holds, f"held in {one.interleavings:,} orders", "held"
        )


def _mutations(yard: Yard, number: int, tell: Tell) -> Played:
    notes, began = Notes(), time.monotonic()
    of = len(mutating.MUTATIONS)
    mutants = mutating.mutate(yard, lambda done: tell(f"{done} of {of} mutants"))
    notes.did(
        f"{of} times one column or step was removed, and the programs that ought to notice were run"
    )
    missed = [
        f"{one.of} without {one.removed}: {one.by}" for one in mutants if one.notice == "missed"
    ]
    notes.saw("mutants that nothing noticed", "; ".join(missed) or "none", "none")
    noticed = _count(mutants, "noticed")
    notes.held("mutants that were noticed", noticed > 0, noticed, "some")
    notes.did(f"{_count(mutants, 'redundant')} are redundant, each for the reason in the table")
    return Played(_told(number, "mutations", notes, began), mutants=tuple(mutants))


def _count(mutants: list[Mutant], notice: str) -> int:
    return sum(one.notice == notice for one in mutants)


def _told(number: int, kind: Kind, notes: Notes, began: float) -> Rehearsal:
    part = PARTS[kind]
    return Rehearsal(
        number=number,
        kind=kind,
        name=part.name,
        title=part.title,
        done=tuple(notes.done),
        observations=tuple(notes.observations),
        proves=_PROVES[kind],
        does_not_prove=_DOES_NOT[kind],
        verdict=verdict(notes, None),
        error=None,
        seconds=round(time.monotonic() - began, 3),
    )


_PROVES: Final[dict[Kind, str]] = {
    "interleavings": "no order of these steps lets an old epoch write, two owners stand, or a change go unjournaled",
    "mutations": "the explorer would have seen it, had a column or a step of the fence been missing",
}
_DOES_NOT: Final[dict[Kind, str]] = {
    "interleavings": "anything of programs that are not among these, or of what happens within one statement of the "
    "server; time is moved, not waited for, but in the late-* programs",
    "mutations": "that two faults at once are noticed, or a fault that is not the absence of a column or a step",
}
PARTS: Final[dict[Kind, Part]] = {
    "interleavings": Part("interleavings", "interleavings", _INTERLEAVINGS, _interleavings),
    "mutations": Part("mutations", "mutations", _MUTATIONS, _mutations),
}
