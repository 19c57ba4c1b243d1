"""All interleavings of a program that one party begins, each run from its start; the invariants after each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from aps.drill.explore.lockstep import Lockstep
from aps.drill.explore.orders import Orders
from aps.drill.explore.program import Program
from aps.drill.explore.scene import Scene
from aps.model.drill import Violation

# So many are kept of one program; the first one tells the most.
_KEPT = 3


@dataclass
class Search:
    """What was run, and what was found. `sessions` has the steps that each party was seen to make."""

    interleavings: int = 0
    steps: int = 0
    waits: int = 0
    diverged: int = 0
    sessions: dict[str, list[str]] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)


def search(
    scene: Scene,
    program: Program,
    first: str,
    enough: Callable[[Search], bool] = lambda found: False,
) -> Search:
    """Run them until there are no more, or until it is `enough`, or some do not hold."""
    found, orders = Search(), Orders(first)
    scene.told.outcomes.clear()
    going = True
    while going and len(found.violations) < _KEPT and not enough(found):
        found.violations += _one(scene, program, orders, found)
        going = orders.advance()
    found.outcomes.update(scene.told.outcomes)
    found.diverged = orders.diverged
    return found


def _one(scene: Scene, program: Program, orders: Orders, found: Search) -> list[Violation]:
    """One interleaving, to its end or to its first violation."""
    lockstep = Lockstep(scene, program.plays(scene))
    try:
        wrong = _steps(scene, program, lockstep, orders, found)
    finally:
        lockstep.end()
    found.interleavings += 1
    found.steps += lockstep.steps
    found.waits += lockstep.waits
    return wrong[:1]


def _steps(
    scene: Scene, program: Program, lockstep: Lockstep, orders: Orders, found: Search
) -> list[Violation]:
    made: dict[str, list[str]] = {one.name: [] for one in lockstep.parties}
    while lockstep.ready:
        name = orders.choose(lockstep.ready)
        made[name].append(lockstep.turn(name))
        wrong = [*_errors(scene, lockstep), *scene.violations(), *_unlike(scene, program)]
        if wrong:
            return wrong
    for name, steps in made.items():
        if len(steps) > len(found.sessions.get(name, ())):
            found.sessions[name] = steps
    return []


def _errors(scene: Scene, lockstep: Lockstep) -> Iterator[Violation]:
    """A party that ended by an error of its own, which none of its steps told."""
    for name, error in lockstep.failures():
        detail = f"{name}: {type(error).__name__}: {error}"
        yield Violation("no session ends by an error", detail, tuple(scene.told.steps))


def _unlike(scene: Scene, program: Program) -> Iterator[Violation]:
    """What must hold in this program beside the invariants."""
    for invariant, detail in program.check(scene):
        yield Violation(invariant, detail, tuple(scene.told.steps))
