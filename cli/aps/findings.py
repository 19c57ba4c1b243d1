"""What each state holds over the whole queue, worst first, with what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aps import severity
from aps.evidence import Count
from aps.files import Looked
from aps.model import key
from aps.model.matrix import State
from aps.model.report import CONFLICT, UNCLASSIFIED, Finding, Job, Level, Verdict
from aps.snapshot import Snapshot

_NONE = Count(0, 0, None, None)


def compile(
    snapshot: Snapshot,
    counts: Mapping[str, Count],
    looked: Looked,
    jobs: Sequence[Job],
    suffix: str,
) -> list[Finding]:
    """Every state, those that need someone first, worst first; then in the order of the matrix.

    `suffix` is what a further look needs.
    """
    findings = [
        _of_files(_finding(snapshot, state, counts, looked, jobs, suffix), state, looked)
        for state in snapshot.matrix.states
    ]
    findings += [_doubt(snapshot, name, counts, suffix) for name in (CONFLICT, UNCLASSIFIED)]
    return sorted(
        findings,
        key=lambda finding: (severity.RANK[finding.severity], -(finding.oldest_seconds or 0)),
    )


def level(state: State, count: Count) -> Level | None:
    """How bad so much of a state is, by its jobs or its items, whichever are more."""
    return severity.level(state.severity, max(count.jobs, count.items), count.oldest)


def _finding(
    snapshot: Snapshot,
    state: State,
    counts: Mapping[str, Count],
    looked: Looked,
    jobs: Sequence[Job],
    suffix: str,
) -> Finding:
    error = snapshot.unread.get(state.name) or looked.unseen.get(state.name)
    count = counts.get(state.name, _NONE)
    bad = None if error else level(state, count)
    worst = _worst_job(state, jobs) if bad else None
    verdict = _verdict(state, count, error, looked)
    known = verdict in ("found", "clear")
    return Finding(
        state=state.name,
        title=state.title,
        kind=state.kind,
        verdict=verdict,
        jobs=count.jobs if known else None,
        items=count.items if known else None,
        oldest_seconds=count.oldest if known else None,
        locked=None if not known or snapshot.server.in_recovery else count.locked,
        windowed=state.finished,
        severity=bad,
        error=error,
        action=state.action.run if state.action else None,
        do=_do(state, worst, suffix),
        worst=worst.job if worst else None,
        owner=state.owner.team,
    )


def _of_files(finding: Finding, state: State, looked: Looked) -> Finding:
    """How far the files of this state were looked at."""
    if state.artifacts is None or finding.verdict in ("undetermined", "not_looked"):
        return finding
    if state.name not in looked.counts:
        return replace(finding, level="recorded")
    if state.artifacts == "listed":
        # A walk reads names and sizes, whatever else was read.
        return replace(finding, level="listed", samples=looked.samples.get(state.name, ()))
    return replace(finding, level=looked.level, looked=looked.looked, claimed=looked.claimed)


def _verdict(state: State, count: Count, error: str | None, looked: Looked) -> Verdict:
    if error:
        return "undetermined"
    if count.items:
        return "found"
    needs_files = state.artifacts in ("claimed", "listed")
    return "not_looked" if needs_files and state.name not in looked.counts else "clear"


def _worst_job(state: State, jobs: Sequence[Job]) -> Job | None:
    of_state = [job for job in jobs if state.name in job.evidence]
    return min(of_state, key=lambda job: severity.RANK[job.severity], default=None)


def _do(state: State, worst: Job | None, suffix: str) -> str | None:
    if worst is None:
        return None
    # A state without an action asks for a look, not for what another state of its job permits; what is done by hand
    # asks to be read first.
    by_hand = state.action and state.action.run == "manual"
    command = None if by_hand else worst.commands.get(state.name)
    return command or key.typed("aps inspect", [worst.job], suffix)


def _doubt(snapshot: Snapshot, name: str, counts: Mapping[str, Count], suffix: str) -> Finding:
    count = counts.get(name, _NONE)
    unread = snapshot.lifecycle_unread
    error = f"not every state could be read ({', '.join(unread)})" if unread else None
    error = error or snapshot.unread.get(name)
    worst = key.text(count.keys[0]) if count.keys and not error else None
    found = worst is not None
    return Finding(
        state=name,
        title=name,
        kind="lifecycle",
        verdict="undetermined" if error else "found" if found else "clear",
        jobs=None if error else count.jobs,
        items=None if error else count.items,
        oldest_seconds=None,
        locked=None,
        windowed=False,
        severity="warning" if found else None,
        error=error,
        action=None,
        do=key.typed("aps inspect", [worst], suffix) if worst else None,
        worst=worst,
        owner=(snapshot.matrix.owner or snapshot.matrix.states[0].owner).team,
    )
