"""The names that rows claim: all of them in chunks, or those of given jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from aps import statements
from aps.evidence import Judgement
from aps.files import claims
from aps.files.claims import Claims
from aps.files.judged import Seen, judged, weighed
from aps.files.looked import Looked, Tally, Wanted
from aps.files.sight import Sight
from aps.model.matrix import Query, State
from aps.snapshot import Key, Snapshot

CHUNK: Final = 10_000


def survey(sight: Sight, snapshot: Snapshot, looked: Looked, wanted: Wanted) -> None:
    """Every claimed name looked up, every claiming job judged by the states that depend on files.

    A job is judged once, with all names that it claims. Raises StoreError, QueryError.
    """
    states = [state for state in snapshot.matrix.states if _of_claims(state)]
    tallies = {state.name: Tally(wanted.keep) for state in states}
    looked.looked = looked.claimed = 0
    for claimed in _chunks(snapshot):
        parts, seen = weighed(sight, snapshot, claimed, states, wanted)
        looked.claimed += len(seen)
        looked.looked += sum(one.error is None for one in seen.values())
        untold = set[Key]().union(*(part.untold for _, part in parts))
        told = {key: names for key, names in claimed.items() if key not in untold}
        _count_missing(looked, told, seen)
        for clock, part in parts:
            for name, count in part.counts.items():
                tallies[name].merge(count, part.first.get(name, {}))
            for one in part.accused:
                tallies[one.state].add(one, clock)
    looked.counts |= {name: tally.count() for name, tally in tallies.items()}


def _of_claims(state: State | None) -> bool:
    return state is not None and state.artifacts in ("claimed", "optional")


def _count_missing(looked: Looked, told: Claims, seen: Seen) -> None:
    """How much is missing of what jobs claim whose own state files tell.

    The file of a worker that has only just claimed is no sign: it may not have begun it.
    """
    known = [seen[name] for name in claims.names(told) if seen[name].error is None]
    looked.judged += len(known)
    looked.missing += sum(one.size is None for one in known)


def _chunks(snapshot: Snapshot) -> Iterator[dict[Key, list[str]]]:
    """Job to all of its names, in the chunk of the first in byte order; between two chunks no transaction is open."""
    names = snapshot.matrix.names
    after: str | None = None
    while names:
        sql = statements.claims(names, snapshot.types, after=after is not None)
        with snapshot.database.look():
            bound = snapshot.bound | {"aps_after": after, "aps_limit": CHUNK}
            rows = snapshot.database.rows(sql, bound)
            keyed = [tuple(str(row[column]) for column in snapshot.types) for row in rows]
            whole = after is None and len(rows) < CHUNK
            pairs = [(key, str(row["aps_name"])) for key, row in zip(keyed, rows, strict=True)]
            if not whole:
                pairs = _beside(snapshot, names, list(dict.fromkeys(keyed)), bound)
        claimed: dict[Key, list[str]] = {}
        for key, name in pairs:
            claimed.setdefault(key, []).append(name)
        if claimed:
            yield claimed
        if len(rows) < CHUNK:
            return
        after = rows[-1]["aps_name"]


def _beside(
    snapshot: Snapshot, names: Query, keys: Sequence[Key], bound: dict[str, Any]
) -> list[tuple[Key, str]]:
    """All names of these jobs, but of those that had one in an earlier chunk."""
    sql = statements.claims_beside(names, snapshot.types)
    rows = snapshot.database.rows(sql, bound | snapshot.keys(keys)) if keys else []
    earlier = {row["ordinal"] for row in rows if row["earlier"] == "t"}
    return [
        (keys[int(row["ordinal"] or 0) - 1], str(row["aps_name"]))
        for row in rows
        if row["ordinal"] not in earlier
    ]


def of_jobs(
    sight: Sight, snapshot: Snapshot, keys: Sequence[Key]
) -> tuple[Snapshot, list[Judgement], Looked]:
    """These jobs judged by every state, with the files that they claim and that were ever handed out for them.

    Raises StoreError, QueryError.
    """
    looked = Looked(level=sight.level, notes=list(sight.told))
    claimed = claims.of(snapshot, keys, further=False)
    further = claims.of(snapshot, keys, further=True)
    both = {key: list(dict.fromkeys([*claimed[key], *further[key]])) for key in keys}
    fresh, found, seen = judged(sight, snapshot, both)
    told = {
        key: claimed[key]
        for key, judgement in found.items()
        if any(_of_claims(snapshot.matrix.state(name)) for name in judgement.lifecycle)
    }
    _count_missing(looked, told, seen)
    return fresh, [found[key] for key in keys], looked
