"""Every program, every interleaving; shared out by who makes the first step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from aps.drill.explore import crew
from aps.drill.explore.program import Program
from aps.drill.explore.programs import PROGRAMS
from aps.drill.explore.scene import Scene
from aps.drill.explore.searching import search
from aps.drill.ground import Yard
from aps.model.drill import Explored, Violation
from aps.render import tree

_UNITS: Final = [(program, first) for program in PROGRAMS for first in program.parties]


def explore(yard: Yard, tell: Callable[[int], None]) -> list[Explored]:
    """Run them all; `tell` hears how many interleavings were run so far. Raises DatabaseError."""

    def begin(name: str) -> crew.Work:
        scene = Scene(yard.ground(name))
        return lambda unit: tree.of(search(scene, *_UNITS[unit]))

    parts: dict[str, list[Mapping[str, Any]]] = {program.name: [] for program in PROGRAMS}
    count = 0
    for unit, found in crew.share(yard.family, len(_UNITS), begin, "explored"):
        parts[_UNITS[unit][0].name].append(found)
        count += found["interleavings"]
        tell(count)
    return [_whole(program, parts[program.name]) for program in PROGRAMS]


def _whole(program: Program, parts: Sequence[Mapping[str, Any]]) -> Explored:
    outcomes: Counter[str] = Counter()
    for part in parts:
        outcomes.update(part["outcomes"])
    return Explored(
        program=program.name,
        title=program.title,
        sessions={
            name: _longest(part["sessions"].get(name, ()) for part in parts)
            for name in program.parties
        },
        interleavings=sum(part["interleavings"] for part in parts),
        steps=sum(part["steps"] for part in parts),
        waits=sum(part["waits"] for part in parts),
        diverged=sum(part["diverged"] for part in parts),
        outcomes=dict(sorted(outcomes.items())),
        violations=tuple(
            Violation(one["invariant"], one["detail"], tuple(one["steps"]))
            for part in parts
            for one in part["violations"]
        ),
    )


def _longest(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for one in lists:
        found = tuple(one) if len(one) > len(found) else found
    return found
