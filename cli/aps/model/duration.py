"""Durations, as people write them (`90 s`, `15 min`, `2 h`, `7 d`) and as they read them."""

from __future__ import annotations

import re
from datetime import timedelta

UNITS = ((86400, "d"), (3600, "h"), (60, "min"))

PATTERN = r"^[0-9]{1,9}(\.[0-9]{1,6})? ?(ms|s|min|h|d)$"
EXPECTED = 'a duration such as "90 s", "15 min", "2 h" or "7 d"'
_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=36525)


def parse(text: str) -> timedelta:
    """Raises ValueError, with what is asked for, on anything else or on more than a century."""
    match = re.fullmatch(r"([0-9.]+) ?([a-z]+)", text) if re.match(PATTERN, text) else None
    if match is None:
        raise ValueError(f"{text!r} is not {EXPECTED}")
    length = min(float(match[1]) * _SECONDS[match[2]], 1e10)
    if length > _LONGEST.total_seconds():
        raise ValueError(f"{text!r} is longer than a century")
    return timedelta(seconds=length)


def spoken(seconds: float) -> str:
    """`4 s`, `33 min`, `2 h`, `3 d`: whole units, rounded down; a unit is used from two of it on."""
    for size, unit in UNITS:
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def exact(length: timedelta) -> str:
    """The length as `parse` reads it, in the largest unit that it fills without a rest."""
    seconds = length.total_seconds()
    for size, unit in UNITS:
        if seconds and seconds % size == 0:
            return f"{int(seconds // size)} {unit}"
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + " s"
