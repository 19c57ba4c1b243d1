"""Waiting for something to become so: by asking, with a deadline, never by a sleep that hopes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from aps.errors import DatabaseError

_DEADLINE: Final = 20.0
_POLL: Final = 0.005


def until(holds: Callable[[], bool], what: str, seconds: float = _DEADLINE) -> None:
    """Return once it holds. Raises DatabaseError where it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise DatabaseError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(_POLL)
