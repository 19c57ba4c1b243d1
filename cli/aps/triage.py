"""Look at a queue through its matrix: what is wrong, how bad, how old, what may be done, by whom. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, timedelta

from aps import causes, evidence, exits, files, findings, naming, severity, shortlist, verdict
from aps import snapshot as snapshots
from aps.database import Database, QueryError
from aps.errors import StoreError, Usage
from aps.evidence import Count, Judgement
from aps.exits import Exit
from aps.files import Looked, Sight, Wanted
from aps.model.matrix import Matrix, State
from aps.model.report import (
    CONFLICT,
    FORMAT_VERSION,
    UNCLASSIFIED,
    UNDETERMINED,
    Cause,
    Finding,
    Job,
    PackRef,
    Report,
    StoreRef,
    Versions,
)
from aps.snapshot import Key, Snapshot, explain


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at: everything, one state, or named jobs. `window` is for lists of finished states only.

    `suffix` is what a printed command needs to reach the same queue (`--demo`), `at_store` one that acts on files,
    `again` a further look.
    """

    jobs: tuple[str, ...] = ()
    state: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    limit: int = 10
    window: timedelta = timedelta(hours=24)
    suffix: str = ""
    at_store: str = ""
    again: str = ""


def inspect(matrix: Matrix, database: Database, look: Look, sight: Sight | None = None) -> Report:
    """One look, on one snapshot but for what lies in a store. Raises NoSuchJob, Usage for a state or column not there.

    Raises StoreError where only a state of files was asked for, and the store that was given cannot be believed.
    """
    chosen = None if look.state is None else known_state(matrix, look.state)
    with database.look():
        snapshot = snapshots.take(database, matrix, database.probe(), window=look.window)
        # A person who names a job waits for that job, not for a survey of the queue.
        counts = {} if look.jobs else evidence.survey(snapshot, look.limit)
        if sight is None:
            keys = _keys(snapshot, counts, chosen, look)
            judged = evidence.judge(snapshot, keys) if keys else []
            jobs = _jobs(snapshot, keys, judged, look)
            shared = causes.of_queue(snapshot, counts)
            seen = _Seen(snapshot, snapshot, counts, Looked(), keys, jobs, shared)
            return _report(seen, look, chosen, None)
        keys = naming.named(snapshot, look.jobs)
        if chosen and chosen.name not in snapshot.unread:
            shortlist.has_columns(snapshot, chosen, look.where)
    return _report(_with_files(snapshot, counts, keys, chosen, look, sight), look, chosen, sight)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The snapshot of the queue and that of its jobs; they are one where no files were looked at."""

    snapshot: Snapshot
    of_jobs: Snapshot
    counts: Mapping[str, Count]
    looked: Looked
    keys: Sequence[Key]
    jobs: Sequence[Job]
    causes: tuple[Cause, ...] = ()


def _with_files(
    snapshot: Snapshot,
    counts: dict[str, Count],
    keys: list[Key],
    chosen: State | None,
    look: Look,
    sight: Sight,
) -> _Seen:
    """No transaction is open while files are read."""
    fault = files.fault(sight, snapshot)
    if fault:
        looked = files.distrusted(snapshot.matrix, sight, fault)
    elif look.jobs:
        looked = Looked(level=sight.level, notes=list(sight.told))
    else:
        looked = files.survey(sight, snapshot, chosen, Wanted(look.limit, look.where))
    if looked.error and chosen and chosen.artifacts in ("claimed", "listed"):
        raise StoreError(looked.error)
    counts |= {name: one for name, one in looked.counts.items() if name not in looked.unseen}
    if not look.jobs:
        with snapshot.database.look():
            keys = _keys(snapshots.again(snapshot), counts, chosen, look)
    fresh, judged, looked = files.judge(sight, snapshot, keys, looked)
    with snapshot.database.look():
        jobs = _jobs(fresh, keys, judged, look)
        shared = () if look.jobs else causes.of_queue(fresh, counts)
        return _Seen(snapshot, fresh, counts, looked, keys, jobs, shared)


def _jobs(
    snapshot: Snapshot, keys: Sequence[Key], judged: Sequence[Judgement], look: Look
) -> list[Job]:
    suffixes = {"reclaim": look.suffix, "reconcile": look.at_store}
    return verdict.jobs(snapshot, keys, judged, suffixes, detailed=bool(look.jobs))


def _report(seen: _Seen, look: Look, chosen: State | None, sight: Sight | None) -> Report:
    snapshot, looked, jobs = seen.snapshot, seen.looked, seen.jobs
    found = findings.compile(snapshot, seen.counts, looked, jobs, look.again)
    if look.jobs:
        # Nothing was counted, so nothing but what could not be read may be told of the whole queue.
        found = [finding for finding in found if finding.verdict == "undetermined"]
    if not (look.jobs or chosen):
        jobs = sorted(jobs, key=lambda job: severity.RANK[job.severity])[: look.limit]
    as_of = seen.of_jobs.clock if look.jobs else snapshot.clock
    return Report(
        format_version=FORMAT_VERSION,
        system=snapshot.matrix.system,
        pack=PackRef(snapshot.matrix.name, snapshot.matrix.sha256),
        as_of=as_of.astimezone(UTC).isoformat(),
        database=snapshot.server,
        store=StoreRef(sight.url, looked.level, looked.error, looked.told) if sight else StoreRef(),
        window_seconds=look.window.total_seconds(),
        states=tuple(found),
        jobs=tuple(jobs),
        jobs_total=_total(found, look, chosen, len(seen.keys)),
        exit_code=exit_code(jobs if look.jobs else (), found, snapshot.versions),
        versions=snapshot.versions,
        causes=seen.causes,
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
    if chosen and chosen.name in counts and counts[chosen.name].keys:
        return list(counts[chosen.name].keys[: look.limit])
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
            return shortlist.select(snapshot, state, limit, where=where)
    except QueryError as error:
        snapshot.unread[state.name] = explain(error, state.evidence.sql, snapshot.server.role)
        return []


def _needy(snapshot: Snapshot, counts: Mapping[str, Count], limit: int) -> list[Key]:
    """The jobs to look at first: of the states that need someone, worst first, then those in doubt."""
    found: dict[Key, None] = {}
    levels = {
        state.name: findings.level(state, counts[state.name])
        for state in snapshot.states
        if state.name in counts
    }
    for state in sorted(snapshot.states, key=lambda state: severity.RANK[levels.get(state.name)]):
        if levels.get(state.name) and set(snapshot.matrix.key) <= set(snapshot.columns[state.name]):
            known = counts[state.name].keys[:limit]
            found |= dict.fromkeys(known or _selected(snapshot, state, limit))
    for doubt in (CONFLICT, UNCLASSIFIED):
        if doubt in counts:
            found |= dict.fromkeys(counts[doubt].keys)
    return list(found)


def _total(found: Sequence[Finding], look: Look, chosen: State | None, seen: int) -> int | None:
    if look.jobs:
        return seen
    if chosen:
        finding = next(finding for finding in found if finding.state == chosen.name)
        return seen if look.where and seen < look.limit else None if look.where else finding.jobs
    needy = [finding.jobs or 0 for finding in found if finding.severity]
    # A job may be in several states; where all were fetched they are counted once.
    return seen if all(jobs <= look.limit for jobs in needy) else sum(needy)


def exit_code(
    jobs: Iterable[Job], states: Iterable[Finding], versions: Versions | None = None
) -> int:
    """Of a look: by the jobs that were named, else by every state."""
    found = [Exit.UNDETERMINED] if versions and versions.fault else []
    found += [
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
