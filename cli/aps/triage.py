"""Look at a queue through its matrix: what is wrong, how bad, how old, what may be done, by whom. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from aps import dossier, evidence, exits, findings, naming, permission, severity
from aps import snapshot as snapshots
from aps.database import Database, QueryError
from aps.errors import Usage
from aps.evidence import Count, Judgement
from aps.exits import Exit
from aps.model import key
from aps.model.matrix import Matrix, State
from aps.model.report import (
    CONFLICT,
    FORMAT_VERSION,
    UNCLASSIFIED,
    UNDETERMINED,
    Finding,
    Job,
    Level,
    PackRef,
    Report,
    StoreRef,
)
from aps.snapshot import Key, Snapshot, explain


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at: everything, one state, or named jobs. `window` is for lists of finished states only.

    `suffix` is what a printed command needs to reach the same queue (`--demo`).
    """

    jobs: tuple[str, ...] = ()
    state: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    limit: int = 10
    window: timedelta = timedelta(hours=24)
    suffix: str = ""


def inspect(matrix: Matrix, database: Database, look: Look) -> Report:
    """One look on one snapshot. Raises NoSuchJob, Usage for a state or column that is not there."""
    chosen = None if look.state is None else known_state(matrix, look.state)
    with database.look():
        server = database.probe()
        snapshot = snapshots.take(database, matrix, server, window=look.window)
        # A person who names a job waits for that job, not for a survey of the queue.
        counts = {} if look.jobs else evidence.survey(snapshot, look.limit)
        keys = _keys(snapshot, counts, chosen, look)
        judged = evidence.judge(snapshot, keys) if keys else []
        jobs = [_job(snapshot, *pair, look) for pair in zip(keys, judged, strict=True)]
        found = findings.compile(snapshot, counts, jobs, look.suffix)
    if look.jobs:
        # Nothing was counted, so nothing but what could not be read may be told of the whole queue.
        found = [finding for finding in found if finding.verdict == "undetermined"]
    if not (look.jobs or chosen):
        jobs = sorted(jobs, key=lambda job: severity.RANK[job.severity])[: look.limit]
    return Report(
        format_version=FORMAT_VERSION,
        system=matrix.system,
        pack=PackRef(matrix.name, matrix.sha256),
        as_of=snapshot.clock.astimezone(UTC).isoformat(),
        database=server,
        store=StoreRef(),
        window_seconds=look.window.total_seconds(),
        states=tuple(found),
        jobs=tuple(jobs),
        jobs_total=_total(found, look, chosen, len(keys)),
        exit_code=exit_code(jobs if look.jobs else (), found),
    )


def known_state(matrix: Matrix, name: str) -> State:
    """The state of that name, written with `_` or with spaces. Raises Usage naming the known ones."""
    state = matrix.state(name.strip().replace(" ", "_").replace("-", "_"))
    if state is None:
        known = ", ".join(state.name for state in matrix.states)
        raise Usage(f"no state {name!r} in the matrix of {matrix.system}; there are: {known}")
    return state


def _keys(
    snapshot: Snapshot, counts: Mapping[str, Count], chosen: State | None, look: Look
) -> list[Key]:
    if look.jobs:
        return naming.named(snapshot, look.jobs)
    if chosen:
        return listed(snapshot, chosen, look)
    return _needy(snapshot, counts, look.limit)


def listed(snapshot: Snapshot, state: State, look: Look) -> list[Key]:
    """The jobs of one state, oldest first; none where it could not be read, or has no jobs but items."""
    columns = snapshot.columns.get(state.name)
    if columns is None or not set(snapshot.matrix.key) <= set(columns):
        return []
    return _selected(snapshot, state, look.limit, look.where)


def _selected(
    snapshot: Snapshot, state: State, limit: int, where: Mapping[str, str] | None = None
) -> list[Key]:
    """The first jobs of a state; one that fails where its rows are compared or sorted is unread."""
    if state.name in snapshot.unread:
        return []
    try:
        with snapshot.database.savepoint():
            return evidence.select(snapshot, state, limit, where=where)
    except QueryError as error:
        snapshot.unread[state.name] = explain(error, state.evidence.sql, snapshot.server.role)
        return []


def _needy(snapshot: Snapshot, counts: Mapping[str, Count], limit: int) -> list[Key]:
    """The jobs to look at first: of the states that need someone, worst first, then those in doubt."""
    found: dict[Key, None] = {}
    levels = {
        state.name: severity.level(
            state.severity,
            max(counts[state.name].jobs, counts[state.name].items),
            counts[state.name].oldest,
        )
        for state in snapshot.states
        if state.name in counts
    }
    for state in sorted(snapshot.states, key=lambda state: severity.RANK[levels.get(state.name)]):
        if levels.get(state.name) and set(snapshot.matrix.key) <= set(snapshot.columns[state.name]):
            found |= dict.fromkeys(_selected(snapshot, state, limit))
    for doubt in (CONFLICT, UNCLASSIFIED):
        if doubt in counts:
            found |= dict.fromkeys(counts[doubt].keys)
    return list(found)


def _job(snapshot: Snapshot, values: Key, judged: Judgement, look: Look) -> Job:
    """One job's verdict; by its own age and as one of a kind."""
    state = snapshot.matrix.state(judged.state)
    overlays = tuple(name for name in judged.rows if name not in judged.lifecycle)
    since = _since(judged.rows[judged.state]) if state else None
    age = None if since is None else max(0.0, (snapshot.clock - since).total_seconds())
    name = key.text(values)
    refusal = permission.refusal(judged, state)
    command = None
    if state and state.action and refusal is None:
        command = permission.command(state.action, [name], look.suffix)
    return Job(
        job=name,
        state=judged.state,
        overlays=overlays,
        severity=_worst(snapshot, judged, age),
        since=None if since is None else since.isoformat(),
        age_seconds=age,
        evidence=judged.rows,
        permitted=command is not None,
        refusal=refusal,
        command=command,
        detail=dossier.compile(snapshot, values, judged) if look.jobs else None,
    )


def _worst(snapshot: Snapshot, judged: Judgement, age: float | None) -> Level | None:
    levels = []
    for name, rows in judged.rows.items():
        state = snapshot.matrix.state(name)
        since = _since(rows)
        own = (
            age
            if name == judged.state or since is None
            else (snapshot.clock - since).total_seconds()
        )
        if state:
            levels.append(severity.level(state.severity, len(rows), own))
    return min(levels, key=severity.RANK.__getitem__, default=None)


def _since(rows: Sequence[Mapping[str, str | None]]) -> datetime | None:
    times = [_time(row["since"]) for row in rows if row.get("since")]
    return min((time for time in times if time), default=None)


def _time(text: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        # `infinity` and years past 9999 are times to PostgreSQL and none to Python: the age is unknown.
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _total(found: Sequence[Finding], look: Look, chosen: State | None, seen: int) -> int | None:
    if look.jobs:
        return seen
    if chosen:
        finding = next(finding for finding in found if finding.state == chosen.name)
        return seen if look.where and seen < look.limit else None if look.where else finding.jobs
    needy = [finding.jobs or 0 for finding in found if finding.severity]
    # A job may be in several states; where all were fetched they are counted once.
    return seen if all(jobs <= look.limit for jobs in needy) else sum(needy)


def exit_code(jobs: Iterable[Job], states: Iterable[Finding]) -> int:
    """Of a look: by the jobs that were named, else by every state."""
    found = [
        Exit.CRITICAL if job.severity == "critical" else Exit.WARNING
        for job in jobs
        if job.severity
    ]
    found += [
        Exit.UNDETERMINED for job in jobs if job.state in (UNCLASSIFIED, CONFLICT, UNDETERMINED)
    ]
    for finding in states:
        if finding.verdict == "undetermined" or (
            finding.state in (CONFLICT, UNCLASSIFIED) and finding.jobs
        ):
            found.append(Exit.UNDETERMINED)
        elif finding.severity:
            found.append(Exit.CRITICAL if finding.severity == "critical" else Exit.WARNING)
    return exits.of_look(found)
