"""What many jobs have in common: who stands in their way, whose they were, when it began. Told once, as the cause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from aps import dossier, findings, statements
from aps.database import QueryError
from aps.evidence import Count
from aps.model.matrix import State
from aps.model.report import Cause
from aps.snapshot import Snapshot

# Of fewer jobs nothing that they share says anything.
FEW = 10
# A value that so many of them have is worth telling.
_MOST = 0.8
_SAMPLE = 10_000
_HELD = 1_000
# Evidence that says which job stands in the way of this one.
BLOCKED = "blocked_by"
_TOLD_ELSEWHERE = frozenset({"refusal", "item", "locked", "level"})
# Numbers and times are shared by chance, digests by nature; since when is told by its minute.
_SAYS_NOTHING = re.compile(
    r"-?[0-9.]+|true|false|[a-z0-9]+:[0-9a-f]{32,}|[0-9]{4}-[0-9]{2}-[0-9]{2}T.*"
)


def of_queue(snapshot: Snapshot, counts: Mapping[str, Count]) -> tuple[Cause, ...]:
    """Of the states that hold jobs up or need someone. Inside a transaction; what cannot be read is left out."""
    found: list[Cause] = []
    for state in snapshot.states:
        count = counts.get(state.name)
        if count is None or state.artifacts in ("claimed", "listed"):
            continue
        if (count.locked or 0) > 1:
            found += _held(snapshot, state, count)
        many = findings.level(state, count) is not None and count.jobs >= FEW
        if many or BLOCKED in snapshot.columns[state.name]:
            shared = of_state(snapshot, state)
            found += [cause for cause in shared if many or cause.what == BLOCKED]
    return tuple(found)


def of_state(snapshot: Snapshot, state: State) -> tuple[Cause, ...]:
    """What its jobs are blocked by, and what most of them share where they are many. Inside a transaction."""
    with _briefly(snapshot) as rows:
        sql = statements.common(state.evidence)
        rows += snapshot.database.rows(sql, snapshot.bound | {"aps_limit": _SAMPLE})
    causes = [
        Cause(
            state.name,
            str(row["name"]),
            str(row["value"]),
            int(row["jobs"] or 0),
            int(row["among"] or 0),
        )
        for row in rows
        if row["name"] not in snapshot.matrix.key
    ]
    return tuple(filter(_worth, causes))


def _worth(cause: Cause) -> bool:
    """Whether it may be a cause, and not chance or nature."""
    if cause.what == BLOCKED:
        return True
    if cause.among < FEW or cause.jobs < cause.among * _MOST or cause.what in _TOLD_ELSEWHERE:
        return False
    return cause.what == "since" or not _SAYS_NOTHING.fullmatch(cause.value)


def _held(snapshot: Snapshot, state: State, count: Count) -> Iterator[Cause]:
    """Each session that holds several of its rows, with how many; the one that holds most first."""
    held: dict[int | None, list[str]] = {}
    with _briefly(snapshot):
        columns = snapshot.columns[state.name]
        sql = statements.select(state.evidence, columns, snapshot.matrix.key, ["q.locked"])
        rows = snapshot.database.rows(sql, snapshot.bound | {"aps_limit": _HELD})
        keys = [tuple(str(row[column]) for column in snapshot.matrix.key) for row in rows]
        for holders in dossier.of_held(snapshot, keys).values():
            for one in holders:
                held.setdefault(one.pid, []).append(one.holding("them"))
    for told in sorted(held.values(), key=len, reverse=True):
        if len(told) > 1:
            yield Cause(state.name, "locked", told[0], len(told), count.jobs)


@contextmanager
def _briefly(snapshot: Snapshot) -> Iterator[list[Mapping[str, str | None]]]:
    """A cause is a help: it may take a part of a statement's time, and where it fails nothing is told."""
    database = snapshot.database
    database.hasten(database.longest / 10)
    rows: list[Mapping[str, str | None]] = []
    try:
        with database.savepoint():
            yield rows
    except QueryError:
        rows.clear()
    database.hasten(database.longest)
