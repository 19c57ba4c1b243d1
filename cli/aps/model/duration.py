"""Durations as people read them."""

from __future__ import annotations

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def spoken(seconds: float) -> str:
    """`4 s`, `33 min`, `2 h`, `3 d`: whole units, rounded down, never `now`."""
    for size, unit in _UNITS:
        if seconds >= 2 * size or (seconds >= size and unit in ("s", "min")):
            return f"{int(seconds // size)} {unit}"
    return "0 s"
