"""One numbered thing that a drill runs: a script on ground of its own, or what is more than one script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aps.drill.ground import Yard
from aps.drill.rehearsing import rehearse
from aps.drill.script import Script
from aps.model.drill import Explored, Kind, Mutant, Rehearsal

# Says in a few words how far it is, for who watches.
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it."""

    rehearsal: Rehearsal
    explored: tuple[Explored, ...] = ()
    mutants: tuple[Mutant, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """`play` gets the yard, the part's number, and whom to tell; an error of it ends the drill.

    `limit` is how many seconds it may take: what waits for ever is broken off, and told as unfinished.
    """

    kind: Kind
    name: str
    title: str
    play: Callable[[Yard, int, Tell], Played]
    limit: int | None = None


# Many times what the longest takes on a loaded machine.
_LIMIT = 180


def scripted(kind: Kind, script: Script) -> Part:
    def play(yard: Yard, number: int, tell: Tell) -> Played:
        return Played(rehearse(yard, number, kind, script))

    return Part(kind, script.name, script.title, play, _LIMIT)
