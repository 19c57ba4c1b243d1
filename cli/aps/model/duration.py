"""Durations as people read them."""

from __future__ import annotations

UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def spoken(seconds: float) -> str:
    """`4 s`, `33 min`, `2 h`, `3 d`: whole units, rounded down; a unit is used from two of it on."""
    for size, unit in UNITS:
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
