"""Ages and times as people read them. Floored, never rounded up; a time keeps its zone, `Z`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from aps.model import duration
from aps.model import size as sizes
from aps.model.report import Lag

_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)")


def text(seconds: float | None) -> str:
    """As `duration.spoken`; None is `unknown`."""
    return "unknown" if seconds is None else duration.spoken(seconds)


def lag(behind: Lag | None) -> str:
    """`lag 0`, `lag unknown`, `3 MB behind, last change 4 min ago`: only what was measured is told as a number."""
    if behind is None or behind.bytes is None:
        return "lag unknown"
    if behind.bytes == 0:
        return "lag 0"
    most = "" if behind.streams else "at least "
    last = behind.replayed_seconds
    ago = "" if last is None else f", last change {text(last)} ago"
    return f"{most}{sizes.spoken(behind.bytes)} behind{ago}"


def window(seconds: float) -> str:
    """A span that somebody set: in the largest unit that it fills without a rest."""
    for size, unit in duration.UNITS:
        if seconds and seconds % size == 0 and (unit != "d" or seconds >= 2 * size):
            return f"{int(seconds // size)} {unit}"
    return text(seconds)


def read(value: str | None) -> datetime | None:
    """A timestamp with its offset, as PostgreSQL or RFC 3339 write it; None for any other text."""
    if value is None or not _TIME.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def since(value: str | None) -> datetime | None:
    """As `read`; one without an offset is UTC, as the engine takes the `since` of a naive column."""
    return read(value) or read(f"{value}Z")


def moment(value: str | None, now: datetime | None) -> str | None:
    """`21:22:58Z` on the day of `now`, else with its date; None where it is no timestamp."""
    time = read(value)
    if time is None:
        return None
    same_day = now is not None and time.date() == now.date()
    return time.strftime("%H:%M:%SZ" if same_day else "%Y-%m-%d %H:%M:%SZ")


def ago(value: str | None, now: datetime | None) -> str | None:
    """`17 min ago`, `in 4 min`; None where it is no timestamp, or the present is not known."""
    time = read(value)
    if time is None or now is None:
        return None
    seconds = (now - time).total_seconds()
    return f"{text(seconds)} ago" if seconds >= 0 else f"in {text(-seconds)}"


def both(value: str | None, now: datetime | None) -> str | None:
    """`21:22:58Z (17 min ago)`; None where it is no timestamp."""
    told, past = moment(value, now), ago(value, now)
    return f"{told} ({past})" if told and past else told
