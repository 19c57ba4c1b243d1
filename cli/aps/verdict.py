"""The verdict on one job: its state, what lies over it, how bad, what may be done."""

from __future__ import annotations

from collections.abc import Sequence

from aps import dossier, evidence, permission, severity
from aps.evidence import Judgement
from aps.model import key
from aps.model.report import Job, Level
from aps.snapshot import Key, Snapshot


def jobs(
    snapshot: Snapshot,
    keys: Sequence[Key],
    judged: Sequence[Judgement],
    suffix: str,
    *,
    detailed: bool,
) -> list[Job]:
    """Each by its own age and as one of a kind. Inside a transaction where `detailed`."""
    pairs = zip(keys, judged, strict=True)
    return [_job(snapshot, values, one, suffix, detailed) for values, one in pairs]


def _job(snapshot: Snapshot, values: Key, judged: Judgement, suffix: str, detailed: bool) -> Job:
    state = snapshot.matrix.state(judged.state)
    overlays = tuple(name for name in judged.rows if name not in judged.lifecycle)
    since = evidence.since(judged.rows[judged.state]) if state else None
    age = None if since is None else max(0.0, (snapshot.clock - since).total_seconds())
    name = key.text(values)
    refusal = permission.refusal(judged, state)
    command = None
    if state and state.action and refusal is None:
        command = permission.command(
            state.action, [name], suffix, dict(zip(snapshot.matrix.key, values, strict=True))
        )
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
        detail=dossier.compile(snapshot, values, judged) if detailed else None,
    )


def _worst(snapshot: Snapshot, judged: Judgement, age: float | None) -> Level | None:
    levels = []
    for name, rows in judged.rows.items():
        state = snapshot.matrix.state(name)
        since = evidence.since(rows)
        own = (
            age
            if name == judged.state or since is None
            else (snapshot.clock - since).total_seconds()
        )
        if state:
            levels.append(severity.level(state.severity, len(rows), own))
    return min(levels, key=severity.RANK.__getitem__, default=None)
