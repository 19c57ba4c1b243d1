"""What sessions of this role begin with here, as far as it changes what aps can do or tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aps import statements
from aps.database import Database
from aps.doctor.fixes import fix
from aps.model.examination import Check, Verdict
from aps.model.report import Server

_ASKED = (
    "track_counts",
    "synchronous_commit",
    "hot_standby_feedback",
    "statement_timeout",
    "transaction_timeout",
    "idle_session_timeout",
)
# Below this a look at many files or a batch of a thousand jobs may be cut.
_ENOUGH_MS = 60_000


@dataclass(frozen=True, slots=True)
class _Fault:
    verdict: Verdict
    told: str
    remedy: tuple[str, ...]


def settings(database: Database, server: Server) -> Check:
    rows = database.rows(statements.read("doctor/settings"), {"names": list(_ASKED)})
    value = {str(row["name"]): str(row["value"]) for row in rows}
    faults = [*_of_server(value, server), *_limits(value, server)]
    if not faults:
        return Check("settings", "ok", f"none is in the way{_own(value, server)}")
    critical = any(fault.verdict == "critical" for fault in faults)
    return Check(
        "settings",
        "critical" if critical else "warning",
        "; ".join(fault.told for fault in faults),
        tuple(line for fault in faults for line in fault.remedy),
    )


def _of_server(value: Mapping[str, str], server: Server) -> Iterator[_Fault]:
    if value["track_counts"] != "on":
        yield _Fault(
            "critical",
            "track_counts is off: what an action changes is not counted, so every action is rolled back",
            fix("track_counts"),
        )
    if value["synchronous_commit"] == "off":
        yield _Fault(
            "warning",
            "synchronous_commit is off: a crash may take back what a worker published (aps sets it on for itself)",
            fix("synchronous_commit", database=server.name),
        )
    if server.in_recovery and value["hot_standby_feedback"] != "on":
        yield _Fault(
            "warning",
            "hot_standby_feedback is off: vacuum on the primary may end a long look here (aps looks once more)",
            fix("hot_standby_feedback"),
        )


def _limits(value: Mapping[str, str], server: Server) -> Iterator[_Fault]:
    """Those that aps does not set for itself; PostgreSQL 15 and 16 do not know the first."""
    for name in ("transaction_timeout", "idle_session_timeout"):
        limit = int(value.get(name, "0"))
        if 0 < limit < _ENOUGH_MS:
            yield _Fault(
                "warning",
                f"{name} is {limit} ms for {server.role}: it ends sessions of aps in the middle",
                fix("session_limit", role=server.role, setting=name),
            )


def _own(value: Mapping[str, str], server: Server) -> str:
    limit = int(value["statement_timeout"])
    if not limit:
        return ""
    return f"; statement_timeout is {limit} ms for {server.role}, aps uses its own (--timeout)"
