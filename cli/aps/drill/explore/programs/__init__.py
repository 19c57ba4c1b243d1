"""The programs whose every interleaving is run."""

from __future__ import annotations

from typing import Final

from aps.drill.explore.program import Program
from aps.drill.explore.programs import (
    by_hand,
    callers,
    files,
    guarded,
    operators,
    outwaited,
    workers,
)

# The longest first, so that the last ones to be run are short.
PROGRAMS: Final[tuple[Program, ...]] = (
    *workers.PROGRAMS,
    *operators.PROGRAMS,
    *files.PROGRAMS,
    *callers.PROGRAMS,
    *guarded.PROGRAMS,
    *by_hand.PROGRAMS,
    *outwaited.PROGRAMS,
)
