"""Every mutation put in place once, and the explorer let loose on it until it notices, or has seen all there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from aps.drill.explore import crew
from aps.drill.explore.scene import Scene
from aps.drill.explore.searching import search
from aps.drill.ground import Yard
from aps.drill.mutants import columns, engine, statements
from aps.drill.mutants.mutation import Mutation, Stale
from aps.model.drill import Mutant
from aps.render import tree

MUTATIONS: Final = (*statements.mutations(), *engine.steps(), *columns.mutations())


def mutate(yard: Yard, tell: Callable[[int], None]) -> list[Mutant]:
    """One mutant a mutation, in their order; `tell` hears how many are done. Raises DatabaseError."""

    def begin(name: str) -> crew.Work:
        scene = Scene(yard.ground(name))
        return lambda unit: tree.of(outcome(scene, MUTATIONS[unit]))

    found: dict[int, Any] = {}
    for unit, mutant in crew.share(yard.family, len(MUTATIONS), begin, "mutated"):
        found[unit] = mutant
        tell(len(found))
    return [
        Mutant(**found[unit] | {"steps": tuple(found[unit]["steps"])}) for unit in sorted(found)
    ]


def outcome(scene: Scene, mutation: Mutation) -> Mutant:
    """What came of one: `missed` also where what it removes is not there. Raises DatabaseError."""
    count = 0
    try:
        with mutation.without(scene):
            for program in mutation.programs:
                for first in program.parties:
                    done = search(scene, program, first, lambda found: bool(found.violations))
                    count += done.interleavings
                    if done.violations:
                        one = done.violations[0]
                        by = f"{program.name}: {one.invariant} ({one.detail})"
                        return Mutant(
                            mutation.of, mutation.removed, "noticed", by, count, one.steps
                        )
    except Stale as why:
        return Mutant(mutation.of, mutation.removed, "missed", str(why), 0, ())
    if mutation.redundant:
        return Mutant(mutation.of, mutation.removed, "redundant", mutation.redundant, count, ())
    looked = ", ".join(program.name for program in mutation.programs)
    return Mutant(mutation.of, mutation.removed, "missed", f"not noticed by {looked}", count, ())
