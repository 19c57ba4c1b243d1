"""A process whose wall clock is off: by everything of Python's that tells a date. For a fork only, which ends so."""

from __future__ import annotations

import datetime
import os
import sys
import time
from datetime import timedelta
from typing import Any, Final, Self

_NANOSECONDS: Final = 10**9


def shift(by: timedelta) -> None:
    """From here on this process takes it to be so much later than it is, in a time zone that is off by as much."""
    _zone(by)
    seconds = by.total_seconds()
    now, now_ns = time.time, time.time_ns
    shifted = {
        "time": lambda: now() + seconds,
        "time_ns": lambda: now_ns() + round(seconds * _NANOSECONDS),
    }
    for name in ("gmtime", "localtime", "ctime"):
        shifted[name] = _given(getattr(time, name), shifted["time"])
    for name, function in shifted.items():
        setattr(time, name, function)
    _dates(by)


def _zone(by: timedelta) -> None:
    hours = round(by / timedelta(hours=1))
    # POSIX wants a name, and a minus for what is ahead. A name such as UTC would change what SQL means by that.
    zone = f"<{hours:+03d}>{-hours:+03d}"
    os.environ |= {"TZ": zone, "PGTZ": zone}
    time.tzset()


def _given(function: Any, clock: Any) -> Any:
    return lambda seconds=None: function(clock() if seconds is None else seconds)


def _dates(by: timedelta) -> None:
    real = datetime.datetime

    class Shifted(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Self:
            return super().now(tz) + by

        @classmethod
        def utcnow(cls) -> Self:
            return super().utcnow() + by

        @classmethod
        def today(cls) -> Self:
            return cls.now()

    # Also where a module of ours has taken the class by its name.
    for module in list(sys.modules.values()):
        if module.__name__ == "datetime" or module.__name__.startswith("aps."):
            for name, value in list(vars(module).items()):
                if value is real:
                    setattr(module, name, Shifted)
