"""The journal: what was done, by whom and why, written in the transaction of the effect. INSERT only."""

from __future__ import annotations

import getpass
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from aps import statements
from aps.database import Database, Row
from aps.errors import Usage
from aps.model.operation import Authority, Id, Result
from aps.model.plan import Plan, PlannedJob

VERSION = 1

Phase = Literal["intent", "applied"]


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
    """Record a batch, what it changed and what it left alone; returns the id of this transaction."""
    transaction = _batch(database, plan, batch, authority, results)
    entries = (
        (
            plan.operation,
            batch,
            one.job,
            one.item,
            "applied",
            one.outcome,
            one.detail,
            *_images(one),
        )
        for one in results
        if one.outcome == "applied"
    )
    database.copy_in(text("write_entries"), entries)
    return transaction


def write_files(
    database: Database,
    plan: Plan,
    batch: str,
    authority: Authority,
    results: Sequence[Result],
    left: Sequence[Result],
    *,
    phase: Phase,
) -> str:
    """Record intents, or the outcomes that close them, and what was left alone; returns the id of this transaction."""
    told = (*left, *(results if phase == "applied" else ()))
    transaction = _batch(database, plan, batch, authority, told)
    columns: dict[str, list[str | None]] = {
        "jobs": [one.job for one in results],
        "items": [one.item for one in results],
        "outcomes": [one.outcome for one in results],
        "details": [one.detail for one in results],
        "befores": [_json(one.before) for one in results],
        "afters": [_json(one.after) for one in results],
    }
    given = {"operation": plan.operation, "batch": batch, "phase": phase}
    database.rows(text("add_entries"), given | columns)
    return transaction


def _batch(
    database: Database, plan: Plan, batch: str, authority: Authority, results: Sequence[Result]
) -> str:
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
                {
                    f"{one.job} {one.item}": [one.outcome, one.detail, one.job, one.item]
                    for one in results
                    if one.outcome != "applied"
                }
            ),
        },
    )[0]
    return str(row["transaction_id"])


def _images(result: Result) -> tuple[str | None, str | None]:
    return _json(result.before), _json(result.after)


def columns(text: str | None) -> Mapping[str, str | None]:
    """What `before` or `after` of an entry holds; empty where it has none."""
    found: Mapping[str, object] = json.loads(text or "{}")
    return {name: None if value is None else str(value) for name, value in found.items()}


def _json(columns: Mapping[str, str | None] | None) -> str | None:
    return None if columns is None else json.dumps(columns)


def tried(database: Database, operation: str, jobs: Sequence[PlannedJob]) -> dict[Id, Result]:
    """The jobs and items that the operation has an outcome of already: done then, or left for a reason that is told."""
    names = [job.job for job in jobs]
    rows = database.rows(text("tried"), {"operation": operation, "jobs": names})
    found = {(str(row["job"]), str(row["item"])): row for row in rows}
    return {job.id: _tried(job, found[job.id]) for job in jobs if job.id in found}


def _tried(job: PlannedJob, row: Row) -> Result:
    if row["outcome"] == "applied":
        detail = f"this operation has done it: {row['detail']}"
        return Result(job.job, "already", detail, item=job.item)
    detail = f"this operation has tried it: {row['outcome']}, {row['detail']}; plan again"
    return Result(job.job, "refused", detail, item=job.item)


def undoable(database: Database, operation: str) -> list[Row]:
    """What the operation changed; of a file also what it meant to move."""
    return database.rows(text("undoable"), {"operation": operation})


def unfinished(database: Database, system: str) -> list[Row]:
    """Files of this system that an operation meant to move, and of which no outcome is known; a row each."""
    return database.rows(text("unfinished"), {"system": system})


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
