"""What that rehearsal did not try."""

from __future__ import annotations

from typing import Final

from aps.drill.script import Script
from aps.drill.trials import cleanups, clocks, crashes, crowds, processes, requests, storage

TRIALS: Final[tuple[Script, ...]] = (
    *processes.SCRIPTS,
    *clocks.SCRIPTS,
    *crashes.SCRIPTS,
    *storage.SCRIPTS,
    *cleanups.SCRIPTS,
    *requests.SCRIPTS,
    *crowds.SCRIPTS,
)
