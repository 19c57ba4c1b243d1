"""What the states' queries say, at one snapshot: of the whole queue, of one state, of given jobs.

A query that fails makes its own state unreadable and no other; the reason is kept. This is the only door to verdicts:
looking, planning and the check under the lock all judge jobs here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aps import statements
from aps.database import QueryError, Row
from aps.model.matrix import Query, State
from aps.model.report import CONFLICT, UNCLASSIFIED, UNDETERMINED, Evidence
from aps.snapshot import BEGINNING, Key, Snapshot, explain

# Of the time of one statement what is asked beside the states may take so much, once all together took too long.
_PARTS = 10
# All states apart together take no longer than so many statements may; a slow one gets half of what is left.
_APART = 3


@dataclass(frozen=True, slots=True)
class Count:
    """A state over the whole queue; `oldest` in seconds, None where its rows have no age."""

    items: int
    jobs: int
    locked: int | None
    oldest: float | None
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The rows that each state returned for one job, and the states that could not be read."""

    rows: Mapping[str, tuple[Evidence, ...]]
    lifecycle: tuple[str, ...]
    unread: Mapping[str, str]

    @property
    def state(self) -> str:
        """The one lifecycle state, or undetermined, unclassified, conflict."""
        if self.unread:
            return UNDETERMINED
        if len(self.lifecycle) == 1:
            return self.lifecycle[0]
        return CONFLICT if self.lifecycle else UNCLASSIFIED


def survey(snapshot: Snapshot, limit: int) -> dict[str, Count]:
    """Every readable state that has rows, and `conflict` and `unclassified` with up to `limit` keys."""
    try:
        with snapshot.database.savepoint():
            rows = _surveyed(snapshot, snapshot.states, snapshot.matrix.population, limit)
    except QueryError as error:
        rows = _surveyed_apart(snapshot, limit, error)
    return {str(row["state"]): _count(row) for row in rows}


def _surveyed_apart(snapshot: Snapshot, limit: int, together: QueryError) -> list[Row]:
    """Leave out what fails alone; where the rest cannot run together, each state's own count without the doubts."""
    population: Query | None = snapshot.matrix.population
    if _out_of_time(together):
        snapshot.database.hasten(snapshot.database.longest / _PARTS)
    failure = _failure_of_population(snapshot)
    if failure:
        population = None
        snapshot.unread[UNCLASSIFIED] = failure

    def ask(states: Sequence[State]) -> list[Row]:
        return _surveyed(snapshot, states, None, limit)

    alone = _isolated(snapshot, ask, snapshot.states, together)
    try:
        with snapshot.database.savepoint():
            return _surveyed(snapshot, snapshot.states, population, limit)
    except QueryError as error:
        for doubt in (CONFLICT, UNCLASSIFIED):
            snapshot.unread.setdefault(doubt, f"the states could not be read together: {error}")
        return alone


def count(snapshot: Snapshot, state: State) -> Count:
    """One state alone over the whole queue. Raises QueryError."""
    rows = _surveyed(snapshot, [state], None, 0)
    return _count(rows[0]) if rows else Count(0, 0, None, None)


def _surveyed(
    snapshot: Snapshot, states: Sequence[State], population: Query | None, limit: int
) -> list[Row]:
    described = [(state, snapshot.columns[state.name]) for state in states]
    sql = statements.survey(described, snapshot.types, population)
    return snapshot.database.rows(sql, snapshot.bound | {"aps_limit": limit})


def _failure_of_population(snapshot: Snapshot) -> str | None:
    query = snapshot.matrix.population
    try:
        with snapshot.database.savepoint():
            _surveyed(snapshot, [], query, 0)
    except QueryError as error:
        return explain(error, query.sql, snapshot.server.role)
    return None


def _count(row: Row) -> Count:
    return Count(
        items=int(row["items"] or 0),
        jobs=int(row["jobs"] or 0),
        locked=None if row["locked"] is None else int(row["locked"]),
        oldest=None if row["oldest_seconds"] is None else max(0.0, float(row["oldest_seconds"])),
        keys=tuple(tuple(key) for key in json.loads(row["keys"] or "[]")),
    )


def judge(snapshot: Snapshot, jobs: Sequence[Key]) -> list[Judgement]:
    """One judgement a job, in the order given. A job that does not exist has no rows, and so is unclassified."""
    keyed = [
        state
        for state in snapshot.states
        if set(snapshot.matrix.key) <= set(snapshot.columns.get(state.name, snapshot.matrix.key))
    ]
    bound = snapshot.bound | {"finished_since": BEGINNING} | snapshot.keys(jobs)

    def ask(states: Sequence[State]) -> list[Row]:
        queries = {state.name: state.evidence for state in states}
        if not queries:
            return []
        return snapshot.database.rows(statements.judge(queries, snapshot.types), bound)

    return _judgements(snapshot, len(jobs), asked(snapshot, ask, keyed))


def asked(
    snapshot: Snapshot, ask: Callable[[Sequence[State]], list[Row]], states: Sequence[State]
) -> list[Row]:
    """What these states say in one statement, without those whose queries fail: they are unread from now on."""
    try:
        with snapshot.database.savepoint():
            return ask(states)
    except QueryError as error:
        _isolated(snapshot, ask, states, error)
        return _together(snapshot, ask, [state for state in states if state in snapshot.states])


def _together(
    snapshot: Snapshot, ask: Callable[[Sequence[State]], list[Row]], states: Sequence[State]
) -> list[Row]:
    """All in one statement, and so at one moment; where that fails no state of a job is certain."""
    try:
        with snapshot.database.savepoint():
            return ask(states)
    except QueryError as error:
        for state in states:
            snapshot.unread[state.name] = f"the states could not be read together: {error}"
        return []


def _judgements(snapshot: Snapshot, jobs: int, rows: Sequence[Row]) -> list[Judgement]:
    found: list[dict[str, list[Evidence]]] = [{} for _ in range(jobs)]
    for row in rows:
        of_job = found[int(row["ordinal"] or 0) - 1]
        of_job.setdefault(str(row["state"]), []).append(parse(row["evidence"] or "{}"))
    lifecycle = {state.name for state in snapshot.matrix.states if state.kind == "lifecycle"}
    unread = snapshot.lifecycle_unread
    return [
        Judgement(
            {name: tuple(evidence) for name, evidence in of_job.items()},
            tuple(name for name in of_job if name in lifecycle),
            unread,
        )
        for of_job in found
    ]


def _isolated(
    snapshot: Snapshot,
    ask: Callable[[Sequence[State]], list[Row]],
    states: Sequence[State],
    together: QueryError,
) -> list[Row]:
    """What each state says alone; one whose query fails is unread from now on.

    Where all together took too long, they share the time of three statements.
    """
    rows = []
    slow = _out_of_time(together)
    until = time.monotonic() + _APART * snapshot.database.longest
    for left, state in zip(range(len(states), 0, -1), states, strict=True):
        share = min(snapshot.database.longest, (until - time.monotonic()) / min(left, 2))
        if slow:
            snapshot.database.hasten(share)
        try:
            with snapshot.database.savepoint():
                rows += ask([state])
        except QueryError as error:
            reason = explain(error, state.evidence.sql, snapshot.server.role)
            if slow and _out_of_time(error):
                reason = _too_slow(share)
            snapshot.unread[state.name] = reason
    if slow:
        snapshot.database.hasten(snapshot.database.longest)
    return rows


def _out_of_time(error: QueryError) -> bool:
    return error.sqlstate == "57014"


def _too_slow(share: float) -> str:
    return f"statement timeout after {share:.2g} s, its share of --timeout: it may lack an index"


def since(rows: Iterable[Evidence]) -> datetime | None:
    """The earliest time that these rows tell; None where none does."""
    times = (moment(row.get("since")) for row in rows)
    return min((time for time in times if time), default=None)


def moment(text: str | None) -> datetime | None:
    """A timestamp as PostgreSQL wrote it; None for NULL and where Python has no such time."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        # `infinity` and years past 9999 are times to PostgreSQL and none to Python: the age is unknown.
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def parse(text: str) -> dict[str, str | None]:
    """A row that PostgreSQL wrote as json: values as text, numbers digit by digit, so that text compares."""
    row = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
