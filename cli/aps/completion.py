"""Answer a worker or a runbook: what became of a completion that matched nothing, or whose answer was lost.

Nothing is written. The pack's own query is the judge. Where it says `applied` and a store was given, the published file
is read between two of its answers: the row names the file first, and is read again with what was seen of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC

from aps import evidence, files, naming, statements
from aps import snapshot as snapshots
from aps.database import Database, QueryError
from aps.errors import StoreError, Usage
from aps.exits import Exit
from aps.files import Sight
from aps.model import key
from aps.model.completion import ANSWERS, FORMAT_VERSION, Answer, Asked, Completion
from aps.model.matrix import Matrix, Query
from aps.model.report import Evidence, PackRef, StoreRef
from aps.snapshot import Key, Snapshot, explain

EXITS: Mapping[Answer, Exit] = {
    "applied": Exit.CLEAR,
    "superseded": Exit.SUPERSEDED,
    "cancelled": Exit.CANCELLED,
    "open": Exit.OPEN,
    "incompatible": Exit.INCOMPATIBLE,
    "undetermined": Exit.UNDETERMINED,
}

_TOLD_APART = ("answer", "final", "reason", "next", "level")


def answer(
    matrix: Matrix, database: Database, job: str, asked: Asked, sight: Sight | None
) -> Completion:
    """Raises Usage where the pack has no such query, NoSuchJob, and StoreError for a store that cannot be believed."""
    query = matrix.completion
    if query is None:
        raise Usage(
            f"pack {matrix.name} has no queries/completion.sql: it cannot tell what became of a completion"
        )
    with database.look():
        snapshot = snapshots.take(database, matrix, database.probe())
        (values,) = naming.named(snapshot, [job])
        row = _asked(snapshot, query, values, asked)
    if sight:
        fault = files.fault(sight, snapshot)
        if fault:
            raise StoreError(fault)
        if row["answer"] == "applied" and row.get("published_name"):
            snapshot, row = _with_file(snapshot, query, values, asked, sight, row)
    return _completion(snapshot, query, values, asked, sight, row)


def _with_file(
    snapshot: Snapshot, query: Query, values: Key, asked: Asked, sight: Sight, row: Evidence
) -> tuple[Snapshot, Evidence]:
    """The answer over again, with the published file looked at. No transaction is open while it is read."""
    observed = sight.observe([str(row["published_name"])])
    with snapshot.database.look():
        fresh = snapshots.seeing(snapshots.again(snapshot), observed)
        naming.named(fresh, [key.text(values)])
        return fresh, _asked(fresh, query, values, asked)


def _asked(snapshot: Snapshot, query: Query, values: Key, asked: Asked) -> Evidence:
    """The row of the pack; one that cannot be read, or says nothing that is known, is `undetermined`."""
    bound = snapshot.bound | snapshot.keys([values]) | asdict(asked) | {"epoch": int(asked.epoch)}
    try:
        with snapshot.database.savepoint():
            rows = snapshot.database.rows(statements.completion(query), bound)
    except QueryError as error:
        return _undetermined(f"{query.file}: {_why(snapshot, query, error)}")
    told = [evidence.parse(row["completion"] or "{}") for row in rows]
    if len(told) != 1 or told[0].get("answer") not in ANSWERS:
        return _undetermined(f"{query.file} gave no one answer ({len(told)} rows)")
    # What a standby has may be old: only what the primary can no longer change is told as an answer.
    if snapshot.server.in_recovery and told[0].get("final") != "true":
        return dict(told[0]) | _undetermined(
            f"A standby lags and cannot tell. Here it reads: {told[0]['answer']}. {told[0].get('reason') or ''}",
            "Ask the primary.",
        )
    return told[0]


def _why(snapshot: Snapshot, query: Query, error: QueryError) -> str:
    if error.sqlstate == "55P03" and snapshot.lifecycle_unread and not snapshot.server.in_recovery:
        return "; ".join(dict.fromkeys(snapshot.lifecycle_unread.values()))
    return explain(error, query.sql, snapshot.server.role)


def _undetermined(
    reason: str, then: str = "Do not retry before it can be told; ask again."
) -> dict[str, str | None]:
    return {"answer": "undetermined", "final": "false", "reason": reason, "next": then}


def _completion(
    snapshot: Snapshot,
    query: Query,
    values: Key,
    asked: Asked,
    sight: Sight | None,
    row: Evidence,
) -> Completion:
    matrix = snapshot.matrix
    level = row.get("level") or "recorded"
    said = next(one for one in ANSWERS if one == row["answer"])
    return Completion(
        format_version=FORMAT_VERSION,
        system=matrix.system,
        pack=PackRef(matrix.name, matrix.sha256),
        as_of=snapshot.clock.astimezone(UTC).isoformat(),
        database=snapshot.server,
        store=StoreRef(sight.url, level, None, sight.told) if sight else StoreRef(),
        job=key.text(values),
        asked=asked,
        answer=said,
        final=row.get("final") == "true",
        reason=row.get("reason") or "no reason is told",
        next=row.get("next") or "",
        level=level,
        evidence={name: value for name, value in row.items() if name not in _TOLD_APART},
        evidence_file=query.file,
        exit_code=EXITS[said],
    )
