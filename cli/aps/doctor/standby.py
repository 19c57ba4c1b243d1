"""Primary or standby, and how far behind."""

from __future__ import annotations

from aps.doctor.fixes import fix
from aps.model import duration, size
from aps.model.examination import Check, Verdict
from aps.model.report import Lag, Server

# A standby that is behind for longer misleads a person on call.
_LONG = 60.0


def standby(server: Server) -> Check:
    if not server.in_recovery:
        return Check("standby", "ok", f"{server.name} is a primary")
    return Check(
        "standby",
        "warning",
        f"{server.name} is a standby: leases, heartbeats and lock holders cannot be judged here, and nothing "
        "can be done",
        ("look at the primary: add target_session_attrs=read-write and all hosts to --dsn",),
    )


def lag(server: Server) -> Check:
    """Zero only where it was measured to be; what is not known is unknown."""
    behind = server.lag
    if behind is None:
        return Check("lag", "not_asked", "a primary is never behind")
    if behind.bytes == 0:
        return Check("lag", "ok", "a receiver streams, and all that it received is replayed")
    last = (
        "never"
        if behind.replayed_seconds is None
        else f"{duration.spoken(behind.replayed_seconds)} ago"
    )
    if behind.bytes is None:
        return Check(
            "lag",
            "unknown",
            f"{_unknown(behind)}; the last change replayed was made {last}",
            _ask(behind),
        )
    long = (behind.replayed_seconds or _LONG) >= _LONG
    verdict: Verdict = "critical" if long or behind.streams is False else "warning"
    most = "" if behind.streams else "at least "
    return Check(
        "lag",
        verdict,
        f"{most}{size.spoken(behind.bytes)} were received and are not replayed; the last change replayed was "
        f"made {last}: what is told here is as old",
        fix("replay"),
    )


def _unknown(behind: Lag) -> str:
    if behind.streams is None:
        return "this role may not see whether a receiver streams"
    if behind.streams:
        return "what was replayed did not come by the receiver that streams"
    return "no receiver streams, or it heard nothing for a minute: how much is missing cannot be known here"


def _ask(behind: Lag) -> tuple[str, ...]:
    return () if behind.streams is None else fix("receiver")
