"""All interleavings of a program that one party begins, each run from its start.

The invariants are asked after each step. Two interleavings that follow each other begin with the same steps: there the
second one is held to give the same answers as the first, and the invariants are asked from where it goes another way.
"""

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
    """What was run, and what was found. `sessions` has the steps that each party was seen to make.

    `diverged`: interleavings whose common beginning did not go as in the one before.
    """

    interleavings: int = 0
    steps: int = 0
    waits: int = 0
    diverged: int = 0
    sessions: dict[str, list[str]] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)


def search(
    scene: Scene, program: Program, first: str, enough: Callable[[Search], bool] = lambda _: False
) -> Search:
    """Run them until there are no more, or until it is `enough`, or some do not hold."""
    return _Searching(scene, program, Orders(first)).run(enough)


@dataclass
class _Searching:
    scene: Scene
    program: Program
    orders: Orders
    found: Search = field(default_factory=Search)
    # What the interleaving before this one was told, after each of its steps.
    before: list[tuple[str, ...]] = field(default_factory=list)

    def run(self, enough: Callable[[Search], bool]) -> Search:
        found, going = self.found, True
        self.scene.told.outcomes.clear()
        while going and len(found.violations) < _KEPT and not enough(found):
            found.violations += self._one()
            going = self.orders.advance()
        found.outcomes.update(self.scene.told.outcomes)
        return found

    def _one(self) -> list[Violation]:
        """One interleaving, to its end or to its first violation."""
        lockstep = Lockstep(self.scene, self.program.plays(self.scene))
        try:
            wrong = self._steps(lockstep)
        finally:
            lockstep.end()
        self.found.interleavings += 1
        self.found.steps += lockstep.steps
        self.found.waits += lockstep.waits
        return wrong[:1]

    def _steps(self, lockstep: Lockstep) -> list[Violation]:
        made: dict[str, list[str]] = {one.name: [] for one in lockstep.parties}
        told: list[tuple[str, ...]] = []
        while lockstep.ready:
            name = self.orders.choose(lockstep.ready)
            if name is None:
                break
            made[name].append(lockstep.turn(name))
            # Two that waited for the same lock may tell in either order what they got.
            told.append(tuple(sorted(self.scene.told.steps)))
            as_before = self.orders.again and told == self.before[: len(told)]
            if not as_before and (wrong := self._wrong(lockstep)):
                return wrong
            self.found.diverged += self.orders.again and not as_before
        else:
            self._keep(made)
        self.before = told
        return []

    def _keep(self, made: dict[str, list[str]]) -> None:
        for name, steps in made.items():
            if len(steps) > len(self.found.sessions.get(name, ())):
                self.found.sessions[name] = steps

    def _wrong(self, lockstep: Lockstep) -> list[Violation]:
        steps = tuple(self.scene.told.steps)
        beside = [Violation(*one, steps) for one in self.program.check(self.scene)]
        found = [one for one in self.scene.violations() if one.invariant not in self.program.broken]
        return [*_errors(lockstep, steps), *found, *beside]


def _errors(lockstep: Lockstep, steps: tuple[str, ...]) -> Iterator[Violation]:
    """A party that ended by an error of its own, which none of its steps told."""
    for name, error in lockstep.failures():
        detail = f"{name}: {type(error).__name__}: {error}"
        yield Violation("no session ends by an error", detail, steps)
