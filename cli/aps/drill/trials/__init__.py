"""What that rehearsal did not try."""

from __future__ import annotations

from typing import Final

from aps.drill.script import Script

TRIALS: Final[tuple[Script, ...]] = ()
