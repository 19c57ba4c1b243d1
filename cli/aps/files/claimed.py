"""The names that rows claim: all of them in chunks, or those of given jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from aps import statements
from aps.evidence import Judgement
from aps.files.judged import judged
from aps.files.looked import Looked, Tally
from aps.files.sight import Sight
from aps.model.matrix import Query, State
from aps.model.report import Evidence
from aps.snapshot import BEGINNING, Key, Snapshot

CHUNK: Final = 10_000


def survey(
    sight: Sight, snapshot: Snapshot, looked: Looked, keep: int, where: Mapping[str, str]
) -> None:
    """Every claimed name looked up, every claiming job judged by the states that depend on files.

    A job is counted once for each chunk that has a name of it. Raises StoreError, QueryError.
    """
    states = [state for state in snapshot.matrix.states if _of_claims(state)]
    tallies = {state.name: Tally(keep) for state in states}
    looked.looked = looked.claimed = 0
    for claims in _chunks(snapshot):
        fresh, found, seen = judged(sight, snapshot, claims, states)
        looked.claimed += len(seen)
        looked.looked += sum(one.error is None for one in seen.values())
        for key, judgement in found.items():
            for name, rows in judgement.rows.items():
                tallies[name].add(key, rows, fresh.clock, kept=_matches(rows, where))
    looked.counts |= {name: tally.count() for name, tally in tallies.items()}


def _of_claims(state: State) -> bool:
    return state.artifacts in ("claimed", "optional")


def _matches(rows: Sequence[Evidence], where: Mapping[str, str]) -> bool:
    return any(all(row.get(name) == value for name, value in where.items()) for row in rows)


def _chunks(snapshot: Snapshot) -> Iterator[dict[Key, list[str]]]:
    """Job to names, in byte order of names; between two chunks no transaction is open."""
    names = snapshot.matrix.names
    after: str | None = None
    while names:
        sql = statements.claims(names, snapshot.types, after=after is not None)
        with snapshot.database.look():
            rows = snapshot.database.rows(
                sql, snapshot.bound | {"aps_after": after, "aps_limit": CHUNK}
            )
        if not rows:
            return
        after = rows[-1]["aps_name"]
        claims: dict[Key, list[str]] = {}
        for row in rows:
            key = tuple(str(row[column]) for column in snapshot.types)
            claims.setdefault(key, []).append(str(row["aps_name"]))
        yield claims
        if len(rows) < CHUNK:
            return


def of_jobs(
    sight: Sight, snapshot: Snapshot, keys: Sequence[Key]
) -> tuple[Snapshot, list[Judgement]]:
    """These jobs judged by every state, with the files that they claim and that were ever handed out for them.

    Raises StoreError, QueryError.
    """
    claims: dict[Key, list[str]] = {key: [] for key in keys}
    with snapshot.database.look():
        bound = snapshot.bound | {"finished_since": BEGINNING} | snapshot.keys(keys)
        if snapshot.matrix.names:
            sql = statements.claims_of(snapshot.matrix.names, snapshot.types)
            for row in snapshot.database.rows(sql, bound):
                claims[keys[int(row["ordinal"] or 0) - 1]].append(str(row["aps_name"]))
        if snapshot.matrix.further_names:
            _add_further(snapshot, snapshot.matrix.further_names, bound, claims)
    fresh, found, _ = judged(sight, snapshot, claims)
    return fresh, [found[key] for key in keys]


def _add_further(
    snapshot: Snapshot, query: Query, bound: Mapping[str, object], claims: dict[Key, list[str]]
) -> None:
    for row in snapshot.database.rows(query.sql, bound):
        name, key = row["name"], tuple(str(row[column]) for column in snapshot.types)
        if name is not None and key in claims and name not in claims[key]:
            claims[key].append(name)
