"""The whole check: the files of a pack, then each of its statements on one snapshot that is rolled back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from aps import matrix as matrices
from aps import packs
from aps import snapshot as snapshots
from aps.check import asked as statements_of
from aps.check import describe, functions, plans, pushdown, refused, table, totality
from aps.check.asked import Asked
from aps.check.describe import Contract
from aps.check.places import in_matrix
from aps.check.plans import Node
from aps.check.table import Table
from aps.database import Database, Described, QueryError
from aps.model.checked import (
    FORMAT_VERSION,
    RANK,
    Checked,
    Counts,
    Finding,
    Totality,
    exit_code,
    not_checked,
    worst_first,
)
from aps.model.matrix import Matrix
from aps.model.report import PackRef, Server
from aps.snapshot import Snapshot

# As `inspect` counts finished states unless it is told otherwise.
_WINDOW = timedelta(hours=24)


def files(pack: Path) -> Checked | None:
    """The faults that the files alone show; None where there are none. Raises MatrixError for no matrix.yaml at all."""
    found = matrices.faults(pack)
    if not found:
        return None
    findings = []
    for fault in found:
        sentence, _, remedy = fault.text.partition("; ")
        findings.append(Finding(fault.file, fault.line, "fault", sentence, remedy or "mend it"))
    not_asked = not_checked("the files have faults")
    name = PackRef(packs.name(pack), matrices.sha256(pack))
    told = worst_first(findings)
    return Checked(
        FORMAT_VERSION, None, name, None, False, told, Counts(), not_asked, exit_code(told)
    )


def unmade(matrix: Matrix, schema: str, reason: str) -> Checked:
    """The pack's own schema cannot be created, so nothing could be asked."""
    found = Finding(
        schema, None, "fault", f"cannot be created: {reason}", "mend it; psql names the line"
    )
    told = worst_first([found])
    unknown = not_checked(f"{schema} has a fault")
    ref = PackRef(matrix.name, matrix.sha256)
    return Checked(
        FORMAT_VERSION, matrix.system, ref, None, True, told, Counts(), unknown, exit_code(told)
    )


@dataclass
class _Run:
    """What is known so far, on one snapshot."""

    snapshot: Snapshot
    table: Table
    findings: list[Finding] = field(default_factory=list)
    described: dict[str, Described] = field(default_factory=dict)
    types: dict[int, str] = field(default_factory=dict)
    scanned: list[tuple[Asked, list[Node]]] = field(default_factory=list)
    harmful: list[str] = field(default_factory=list)
    planned: int = 0
    tried: int = 0

    def refuse(self, asked: Asked, error: QueryError) -> None:
        self.findings.append(refused.finding(asked, error, self.snapshot.server.role))


def database(matrix: Matrix, session: Database, *, scratch: bool = False) -> Checked:
    """Every statement described, planned and tried, none that writes is run. Raises DatabaseError."""
    with session.look():
        server = session.probe()
        found = table.read(session, matrix)
        faults = list(table.faults(matrix, found, server.name))
        if len(found.key) < len(matrix.key):
            unknown = not_checked("without table and key nothing can be asked")
            return _checked(matrix, server, scratch, faults, Counts(), unknown)
        run = _Run(snapshots.take(session, matrix, server, window=_WINDOW), found, faults)
        asked = statements_of.of(matrix)
        for one in asked:
            _describe(run, one)
        _hold_to_contract(run, asked)
        _hold_to_version(run)
        for one in asked:
            if one.query.file in run.described:
                _plan(run, one)
                _try_keys(run, one)
        _scans(run)
        total = _total(run)
        counts = Counts(len(asked), len(run.described), run.planned, run.tried)
        return _checked(matrix, server, scratch, _merged(run.findings), counts, total)


def _checked(
    matrix: Matrix,
    server: Server,
    scratch: bool,
    findings: list[Finding],
    counts: Counts,
    total: Totality,
) -> Checked:
    told = worst_first([*findings, *totality.faults(matrix, total)])
    return Checked(
        FORMAT_VERSION,
        matrix.system,
        PackRef(matrix.name, matrix.sha256),
        server,
        scratch,
        told,
        counts,
        total,
        exit_code(told),
    )


def _describe(run: _Run, asked: Asked) -> None:
    session = run.snapshot.database
    try:
        with session.savepoint():
            bound = statements_of.bound(run.snapshot, asked)
            run.described[asked.query.file] = session.described(asked.query.sql, bound)
    except QueryError as error:
        run.refuse(asked, error)


def _hold_to_contract(run: _Run, asked: list[Asked]) -> None:
    session, matrix = run.snapshot.database, run.snapshot.matrix
    run.types = describe.type_names(session, run.described.values())
    names = describe.column_names(session, run.table)
    contract = Contract(matrix, run.table, run.types, names)
    for one in asked:
        if one.query.file in run.described:
            described = run.described[one.query.file]
            run.findings += describe.faults(contract, one, described)


def _hold_to_version(run: _Run) -> None:
    """On a queue of another version aps acts on nothing; a query that is refused has told its own fault."""
    matrix, found = run.snapshot.matrix, run.snapshot.versions
    if found and found.fault and matrix.version and matrix.version.file in run.described:
        remedy = "use the pack for that version, or try this one there and add the version"
        at = in_matrix(matrix, "versions")
        told = f"versions: {found.fault}: nothing is acted upon"
        run.findings.append(Finding(packs.FILE, at, "undetermined", told, remedy))


def _plan(run: _Run, asked: Asked) -> None:
    session = run.snapshot.database
    described = run.described[asked.query.file]
    bound = statements_of.bound(run.snapshot, asked)
    try:
        with session.savepoint():
            nodes = plans.bound(session, asked.query.sql, bound)
            generic = plans.generic(run.snapshot, asked.query.sql, described, run.types)
    except QueryError as error:
        run.refuse(asked, error)
        return
    run.planned += 1
    run.scanned.append((asked, nodes))
    run.findings += [
        *plans.faults(asked, [*nodes, *generic]),
        *functions.faults(session, asked, [*nodes, *generic]),
        *functions.idle(session, asked, nodes),
    ]
    if asked.role in statements_of.LOOKS and functions.effects(session, [*nodes, *generic]):
        run.harmful.append(asked.query.file)


def _try_keys(run: _Run, asked: Asked) -> None:
    """What aps asks of given jobs; a query without the key has told its fault already."""
    snapshot, session = run.snapshot, run.snapshot.database
    columns = {column.name for column in run.described[asked.query.file].columns}
    if asked.role not in ("evidence", "names") or not {*snapshot.matrix.key} <= columns:
        return
    if any(found.file == asked.query.file and found.severity == "fault" for found in run.findings):
        return
    bound = snapshot.bound | statements_of.keys(snapshot)
    try:
        with session.savepoint():
            sql = pushdown.statement(asked, snapshot.types)
            tried = pushdown.tried(session, plans.bound(session, sql, bound))
    except QueryError as error:
        run.refuse(asked, error)
        return
    run.tried += 1
    run.findings += pushdown.faults(asked, tried)


def _scans(run: _Run) -> None:
    relations = {found for _, nodes in run.scanned for found in plans.relations(nodes)}
    sizes = plans.sizes(run.snapshot.database, relations)
    for asked, nodes in run.scanned:
        run.findings += plans.scans(asked, nodes, sizes)


def _total(run: _Run) -> Totality:
    """The queries run now, so none of them may be known to do harm."""
    if run.harmful:
        return not_checked(f"may have effects, so was not run: {', '.join(run.harmful)}")
    run.findings += totality.repeated(run.snapshot)
    return totality.look(run.snapshot)


def _merged(findings: list[Finding]) -> list[Finding]:
    """A missing grant is told once, however many statements need it."""
    by_grant: dict[str, list[Finding]] = {}
    others = []
    for found in findings:
        if found.remedy.startswith("GRANT "):
            grant = found.remedy.removesuffix(refused.AS_WHO_ACTS)
            by_grant.setdefault(grant, []).append(found)
        else:
            others.append(found)
    return [*others, *(_told_once(same) for same in by_grant.values())]


def _told_once(same: list[Finding]) -> Finding:
    worst = min(same, key=lambda found: RANK[found.severity])
    more = len({found.file for found in same}) - 1
    return replace(worst, sentence=f"{worst.sentence} (and {more} more)") if more else worst
