"""The verdict on one job: its state, what lies over it, how bad, what may be done."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from aps import dossier, evidence, permission, severity
from aps.evidence import Judgement
from aps.model import key
from aps.model.matrix import DSN, SCHEMA
from aps.model.report import Job, Level
from aps.snapshot import Key, Snapshot


def jobs(
    snapshot: Snapshot,
    keys: Sequence[Key],
    judged: Sequence[Judgement],
    suffixes: Mapping[str, str],
    *,
    detailed: bool,
) -> list[Job]:
    """Each by its own age and as one of a kind. Inside a transaction where `detailed`.

    `suffixes` is by command what a printed one needs to reach the same queue and store.
    """
    pairs = zip(keys, judged, strict=True)
    return [_job(snapshot, values, one, suffixes, detailed) for values, one in pairs]


def _job(
    snapshot: Snapshot,
    values: Key,
    judged: Judgement,
    suffixes: Mapping[str, str],
    detailed: bool,
) -> Job:
    state = snapshot.matrix.state(judged.state)
    overlays = tuple(name for name in judged.rows if name not in judged.lifecycle)
    since = evidence.since(judged.rows[judged.state]) if state else None
    age = None if since is None else max(0.0, (snapshot.clock - since).total_seconds())
    name = key.text(values)
    commands = dict(_commands(snapshot, values, judged, suffixes))
    command = next(iter(commands.values()), None)
    return Job(
        job=name,
        state=judged.state,
        overlays=overlays,
        severity=_worst(snapshot, judged, age),
        since=None if since is None else since.isoformat(),
        age_seconds=age,
        evidence=judged.rows,
        permitted=command is not None,
        refusal=permission.refusal(judged, state),
        command=command,
        detail=dossier.compile(snapshot, values, judged) if detailed else None,
        commands=commands,
    )


def _commands(
    snapshot: Snapshot, values: Key, judged: Judgement, suffixes: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """What is permitted, by state: the job's own first, then those that lie over it."""
    own = snapshot.matrix.state(judged.state)
    found = [own, *(snapshot.matrix.state(one) for one in judged.rows)]
    states = [state for state in found if state and (state is own or state.kind == "overlay")]
    name, keyed = key.text(values), _places(snapshot, values)
    taken = {own.action.run} if own and own.action else set()
    for state in dict.fromkeys(states):
        if state.action is None or permission.refusal(judged, state):
            continue
        run, words = state.action.run, [suffixes.get(state.action.run, "")]
        if state is not own and run in taken:
            # Without its name the command would mean the other.
            words.insert(0, f"--state {shlex.quote(state.name)}")
        taken.add(run)
        suffix = " ".join(filter(None, words))
        yield state.name, permission.command(state.action, [name], suffix, keyed)


def _places(snapshot: Snapshot, values: Key) -> dict[str, str]:
    """What a manual command may name: the columns of the key, and where this look was taken."""
    matrix = snapshot.matrix
    place = {DSN: snapshot.database.conninfo, SCHEMA: matrix.schema or "public"}
    return place | dict(zip(matrix.key, values, strict=True))


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
