"""The way to the server: its clock against ours, and whether something stands between."""

from __future__ import annotations

import time

from aps import statements
from aps.database import Database, timestamp
from aps.model import duration
from aps.model.examination import Check

# Below this the clocks of the two machines agree, for a person.
_SAME = 1.0
_TRIES = 3


def clock(database: Database) -> Check:
    """Inside a look. The difference is known to half of the time that the question took."""
    sent = time.time()
    told = database.rows(statements.read("clock"), {"aps": "aps"})[0]["clock"]
    doubt = (time.time() - sent) / 2
    difference = sent + doubt - timestamp(told).timestamp()
    if doubt > _SAME:
        took = duration.spoken(2 * doubt)
        return Check(
            "clock", "unknown", f"the server answers too slowly ({took}) to compare clocks"
        )
    if abs(difference) <= _SAME + doubt:
        return Check(
            "clock", "ok", f"this machine and the server differ by {abs(difference):.1f} s"
        )
    side = "ahead" if difference > 0 else "behind"
    return Check(
        "clock",
        "warning",
        f"this machine is {duration.spoken(abs(difference))} {side} of the server: verdicts go by the "
        "server's clock, what you read from your own does not",
        ("set both clocks by the same source (chronyc tracking)",),
    )


def pooler(database: Database, application: str) -> Check:
    """Outside of a transaction: a pooler may give each statement to another server process."""
    seen = [
        database.call(statements.read("doctor/session"), {"aps": "aps"})[0] for _ in range(_TRIES)
    ]
    pids = list(dict.fromkeys(str(row["pid"]) for row in seen))
    between = len(pids) > 1 or str(database.pid) not in pids
    lost = {row["application"] for row in seen} != {application}
    if between and lost:
        return Check(
            "pooler",
            "warning",
            "a pooler between does not pass application_name on: aps cannot tell its own sessions there, "
            "and `aps log` does not see an operation that still runs",
            ("give aps a connection without the pooler, or let the pooler track application_name",),
        )
    if len(pids) > 1:
        met = f"backends {', '.join(pids)} answered one session"
        return Check(
            "pooler", "ok", f"a pooler by transaction stands between ({met}): aps works so"
        )
    if between:
        return Check(
            "pooler",
            "ok",
            "a pooler stands between; whether by transaction did not show: aps works both ways",
        )
    return Check("pooler", "ok", "none showed; one that hides itself cannot be excluded")
