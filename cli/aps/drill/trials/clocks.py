"""Trials."""

from __future__ import annotations

from typing import Final

from aps.drill.script import Script

SCRIPTS: Final[tuple[Script, ...]] = ()
