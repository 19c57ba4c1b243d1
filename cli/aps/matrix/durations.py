"""Durations as a person writes them: `90 s`, `15 min`, `2 h`, `7 d`."""

from __future__ import annotations

import re
from datetime import timedelta

PATTERN = r"^[0-9]{1,9}(\.[0-9]{1,3})? ?(ms|s|min|h|d)$"
EXPECTED = 'a duration such as "90 s", "15 min", "2 h" or "7 d"'
_UNITS = {"ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours", "d": "days"}
_LONGEST = timedelta(days=36525)


def parse(text: str) -> timedelta:
    """Raises ValueError, with what is asked for, on anything else or on more than a century."""
    match = re.fullmatch(r"([0-9.]+) ?([a-z]+)", text) if re.match(PATTERN, text) else None
    if match is None:
        raise ValueError(f"{text!r} is not {EXPECTED}")
    duration = timedelta(**{_UNITS[match[2]]: min(float(match[1]), 1e9)})
    if duration > _LONGEST:
        raise ValueError(f"{text!r} is longer than a century")
    return duration
