"""Many jobs judged at once by states that depend on files.

The server counts them, and tells one by one only those that are to be looked at twice. The verdicts are those of
`evidence.judge`, which compares each job with every name that is bound: for thousands its work grows with the square.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from aps import evidence, statements
from aps.database import Row
from aps.evidence import Count
from aps.model.matrix import State
from aps.snapshot import Key, Snapshot


@dataclass(frozen=True, slots=True)
class Accused:
    """A job that only its file puts in one of its states, in any of them: so many rows, since when.

    `fits`: a row of it is what the list was narrowed to.
    """

    key: Key
    state: str
    items: int
    since: datetime | None
    fits: bool


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which jobs are told of those that are counted; as in `shortlist.oldest`."""

    where: Mapping[str, str] = field(default_factory=dict)
    older_than: timedelta | None = None
    eligible: bool = False


@dataclass(slots=True)
class Weighed:
    """The accused, and of all other jobs: counts by state, and those that are in it for longest, since when.

    `untold` jobs are in no state of their own among those asked about.
    """

    accused: list[Accused] = field(default_factory=list)
    counts: dict[str, Count] = field(default_factory=dict)
    first: dict[str, dict[Key, datetime | None]] = field(default_factory=dict)
    untold: set[Key] = field(default_factory=set)


def accuses(state: State) -> bool:
    """Is a job in this state, one of its own, only because of its file."""
    return state.artifacts == "claimed" and state.kind == "lifecycle"


def weigh(
    snapshot: Snapshot,
    jobs: Sequence[Key],
    among: Sequence[State],
    keep: int,
    narrowing: Narrowing,
) -> Weighed:
    """These jobs by those of `among` that can be read, within the window of finished states.

    Of each state the first `keep` jobs that fit are told. Inside a transaction.
    """
    keyed = [
        state
        for state in snapshot.states
        if state in among and set(snapshot.matrix.key) <= set(snapshot.columns[state.name])
    ]
    bound = snapshot.bound | snapshot.keys(jobs)
    bound |= {f"aps_where_{n}": value for n, value in enumerate(narrowing.where.values())}
    bound |= {"aps_limit": keep, "aps_older_than": narrowing.older_than}

    def ask(states: Sequence[State]) -> list[Row]:
        return snapshot.database.rows(_statement(snapshot, states, narrowing), bound)

    snapshot.database.serially()
    if not keyed:
        return Weighed(untold=set(jobs))
    return _read(snapshot, evidence.asked(snapshot, ask, keyed))


def _read(snapshot: Snapshot, rows: Sequence[Row]) -> Weighed:
    weighed = Weighed()
    aliases = _aliases(snapshot)
    for row in rows:
        state, since = str(row["state"]), evidence.moment(row["since"])
        items, jobs = int(row["items"] or 0), int(row["jobs"] or 0)
        key = tuple(str(row[alias]) for alias in aliases)
        if row["part"] == "count":
            age = None if since is None else max(0.0, (snapshot.clock - since).total_seconds())
            weighed.counts[state] = Count(items, jobs, None, age)
        elif row["part"] == "first":
            weighed.first.setdefault(state, {})[key] = since
        elif row["part"] == "untold":
            weighed.untold.add(key)
        else:
            weighed.accused.append(Accused(key, state, items, since, row["fits"] == "t"))
    return weighed


def _statement(snapshot: Snapshot, states: Sequence[State], narrowing: Narrowing) -> str:
    aliases = _aliases(snapshot)
    arrays = [f"%({column})s::{kind}[]" for column, kind in snapshot.types.items()]
    return statements.read("weigh").format(
        claims="  UNION ALL\n".join(_claim(snapshot, state, narrowing) for state in states),
        keys=", ".join(aliases),
        keys_text=", ".join(f"{alias}::text" for alias in aliases),
        no_keys=", ".join("NULL" for _ in aliases),
        key_arrays=", ".join(arrays),
    )


def _claim(snapshot: Snapshot, state: State, narrowing: Narrowing) -> str:
    columns = snapshot.columns[state.name]
    aliases = _aliases(snapshot)
    return statements.read("weigh_claim").format(
        state=statements.literal(state.name),
        own="true" if state.kind == "lifecycle" else "false",
        accusing="true" if accuses(state) else "false",
        since="q.since" if "since" in columns else "NULL",
        fits=_fits(columns, narrowing),
        columns=", ".join(
            f"q.{statements.ident(column)} AS {alias}"
            for column, alias in zip(snapshot.types, aliases, strict=True)
        ),
        evidence=state.evidence.sql,
        among=" AND ".join(
            f"q.{statements.ident(column)} = ANY (%({column})s::{kind}[])"
            for column, kind in snapshot.types.items()
        ),
    )


def _fits(columns: Sequence[str], narrowing: Narrowing) -> str:
    """No row fits where the state has not what it is narrowed by."""
    older = narrowing.older_than is not None
    if not {*narrowing.where, *(["since"] if older else [])} <= set(columns):
        return "false"
    eligible = narrowing.eligible and "refusal" in columns
    conditions = statements.conditions(tuple(narrowing.where), older=older, eligible=eligible)
    return " AND ".join(conditions) or "true"


def _aliases(snapshot: Snapshot) -> list[str]:
    return [f"aps_key_{number}" for number, _ in enumerate(snapshot.types, start=1)]
