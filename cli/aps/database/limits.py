"""How long a session waits for anything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Longest waits of a transaction, in milliseconds."""

    statement: int = 30_000
    lock: int = 2_000
    # Shorter than the patience of a settlement: a transaction whose client is gone ends before it is given up.
    idle: int = 20_000
