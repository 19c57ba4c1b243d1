"""The journal: what was done, by whom and why, written in the transaction of the effect. INSERT only."""

from __future__ import annotations

import getpass
import json
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aps import statements
from aps.database import Database, Row
from aps.errors import Usage
from aps.model.operation import Authority, Result
from aps.model.plan import Plan

VERSION = 1


def text(name: str) -> str:
    return statements.read(f"journal/{name}")


def signed(authority: Authority) -> Authority:
    """The authority with who asks from where, as this machine tells it."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # An account without a name, as in a container.
        user = None
    return replace(authority, user=user, client_host=socket.gethostname())


def write(
    database: Database,
    plan: Plan,
    batch: str,
    authority: Authority,
    results: Sequence[Result],
) -> str:
    """Record a batch and what it changed; returns the id of this transaction."""
    row = database.rows(
        text("write_batch"),
        {
            "operation": plan.operation,
            "batch": batch,
            "command": plan.command,
            "system": plan.system,
            "state": plan.state,
            "pack": plan.pack.name,
            "pack_sha256": plan.pack.sha256,
            "plan_sha256": plan.fingerprint,
            "client_user": authority.user,
            "client_host": authority.client_host,
            "reason": authority.reason,
            "ticket": authority.ticket,
            "attested": list(authority.attested),
            "planned": len(plan.jobs) + len(plan.refused),
            "applied": sum(result.outcome == "applied" for result in results),
            "left_alone": json.dumps(
                {one.job: [one.outcome, one.detail] for one in results if one.outcome != "applied"}
            ),
        },
    )[0]
    database.copy_in(text("write_entries"), _entries(plan.operation, batch, results))
    return str(row["transaction_id"])


def _entries(
    operation: str, batch: str, results: Iterable[Result]
) -> Iterable[tuple[str | int | None, ...]]:
    for result in results:
        if result.outcome == "applied":
            yield (
                operation,
                batch,
                result.job,
                "",
                "applied",
                result.outcome,
                result.detail,
                _json(result.before),
                _json(result.after),
            )


def _json(columns: Mapping[str, str | None] | None) -> str | None:
    return None if columns is None else json.dumps(columns)


def applied(database: Database, operation: str, jobs: Sequence[str]) -> dict[str, str]:
    """Which of these jobs the operation has changed already: job to what was done."""
    rows = database.rows(text("applied"), {"operation": operation, "jobs": list(jobs)})
    return {str(row["job"]): str(row["detail"]) for row in rows}


def recorded(database: Database, batch: str) -> bool:
    return database.rows(text("recorded"), {"batch": batch})[0]["recorded"] == "t"


def status(database: Database, transaction: str) -> str | None:
    """What PostgreSQL says of a transaction: in progress, committed, aborted; None for one long ago."""
    return database.rows(text("status"), {"transaction_id": transaction})[0]["status"]


def operations(database: Database, limit: int) -> list[Row]:
    return database.rows(text("operations"), {"aps_limit": limit})


def of_job(database: Database, job: str, system: str) -> list[Row]:
    return database.rows(text("job"), {"job": job, "system": system})


def batches(database: Database, prefix: str) -> list[Row]:
    """The batches of the one operation whose id starts so; none: it changed nothing here. Raises Usage for several."""
    rows = database.rows(text("operation"), {"prefix": prefix.lower()})
    found = sorted({str(row["operation"]) for row in rows})
    if len(found) > 1:
        raise Usage(f"{prefix} is the start of {len(found)} operations: {', '.join(found)}")
    return rows


def entries(database: Database, operation: str) -> list[Row]:
    return database.rows(text("entries"), {"operation": operation})


def running(database: Database, prefix: str) -> list[Row]:
    """Sessions of aps that work on this operation right now."""
    return database.rows(text("running"), {"prefix": prefix.lower()})
