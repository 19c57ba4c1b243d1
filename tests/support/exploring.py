"""Queues for the explorer of the drill, each a copy of one, on a server of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import cast

from aps.database import Row
from aps.demo import cluster as clusters
from aps.demo.binaries import Binaries
from aps.demo.family import Family
from aps.drill.explore.program import Program
from aps.drill.explore.scene import Scene
from aps.drill.explore.searching import Search, search
from aps.drill.ground import Yard
from tests.support import memory

# Nothing is forked from a test's process: the explorer's parties are threads.
_NOBODY = cast("Family", None)


class Copies:
    """A fresh scene each time, whose sessions are closed when it is left."""

    def __init__(self, yard: Yard) -> None:
        self._yard = yard
        self._numbers = count(1)

    @contextmanager
    def scene(self) -> Iterator[Scene]:
        scene = Scene(self._yard.ground(f"explored_{next(self._numbers)}"))
        try:
            yield scene
        finally:
            scene.close()


@contextmanager
def copies(binaries: Binaries, home: Path) -> Iterator[Copies]:
    """`home` is for the stores."""
    with clusters.start(memory.new_folder(), binaries, keep=False) as server:
        yard = Yard(server, _NOBODY, home)
        yard.prepare()
        yield Copies(yard)


def searched(scene: Scene, program: Program) -> dict[str, Search]:
    """All interleavings, by the party that begins them."""
    return {first: search(scene, program, first) for first in program.parties}


def nobody(_scene: Scene) -> Mapping[str, Row]:
    """A setup: an empty queue, of which nobody holds anything."""
    return {}
