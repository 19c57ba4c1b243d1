"""The store walked from end to end, for states whose files no living row names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from aps import evidence, shortlist, statements
from aps import snapshot as snapshots
from aps.files.claimed import CHUNK
from aps.files.looked import Looked, Tally
from aps.files.sight import Sight
from aps.model.matrix import State
from aps.observed import Observed
from aps.snapshot import Key, Snapshot
from aps.store import Observation, Seen, Unnameable

_SAMPLES: Final = 3


class Older(Exception):
    """The database is older than the store: nothing that it says of files holds."""


class _Told:
    """What is said of files that cannot be judged, and not listed one by one."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._unnameable: list[str] = []
        self._unjudged: list[str] = []
        self._counts = [0, 0]

    def hear(self, seen: Seen) -> bool:
        """Is this a file that a query may be told of."""
        if isinstance(seen, Unnameable):
            self._counts[0] += 1
            self._unnameable = (self._unnameable + [seen.shown])[:_SAMPLES]
            return False
        if seen.error and seen.name.endswith("/"):
            self.folders = (self.folders + [f"{seen.name}: {seen.error}"])[:_SAMPLES]
        elif seen.error:
            self._counts[1] += 1
            self._unjudged = (self._unjudged + [f"{seen.name}: {seen.error}"])[:_SAMPLES]
        return seen.error is None

    @property
    def notes(self) -> Iterator[str]:
        unnameable, unjudged = self._counts
        if unnameable:
            shown = ", ".join(self._unnameable)
            yield f"{unnameable} files have names that no row can hold (not UTF-8): {shown}"
        if unjudged:
            shown = ", ".join(self._unjudged)
            yield f"{unjudged} entries of the store are no files that can be judged: {shown}"


def survey(
    sight: Sight, snapshot: Snapshot, looked: Looked, keep: int, where: Mapping[str, str]
) -> None:
    """Every file of the store, for the states with `artifacts: listed`. Raises StoreError, QueryError, Older."""
    states = [state for state in snapshot.states if state.artifacts == "listed"]
    tallies = {state.name: Tally(keep) for state in states}
    told = _Told()
    looked.walked = 0
    for observed in _chunks(sight, told):
        looked.walked += len(observed.names)
        with snapshot.database.look():
            fresh = snapshots.seeing(snapshots.again(snapshot), observed)
            _stop_if_older(fresh)
            for state in states:
                _count(fresh, state, tallies[state.name], keep, where)
                _sample(fresh, state, looked)
    looked.counts |= {name: tally.count() for name, tally in tallies.items()}
    looked.notes += told.notes
    if told.folders:
        why = f"not every folder of the store can be read: {', '.join(told.folders)}"
        looked.unseen |= {state.name: why for state in states}


def _chunks(sight: Sight, told: _Told) -> Iterator[Observed]:
    """Observations of files, in byte order. The walk stands still while a chunk is asked about."""
    walk = sight.walk()
    files = (seen for seen in walk if told.hear(seen) and isinstance(seen, Observation))
    while chunk := list(islice(files, CHUNK)):
        yield Observed.of(chunk, "listed")


def _count(
    fresh: Snapshot, state: State, tally: Tally, keep: int, where: Mapping[str, str]
) -> None:
    count = evidence.count(fresh, state)
    worst = {}
    if count.jobs and set(fresh.matrix.key) <= set(fresh.columns[state.name]):
        worst = shortlist.oldest(fresh, state, keep, where)
    if count.items:
        tally.merge(count, worst)


def _sample(fresh: Snapshot, state: State, looked: Looked) -> None:
    """The first items of a state that has no jobs to name."""
    if set(fresh.matrix.key) <= set(fresh.columns[state.name]):
        return
    names = looked.samples.get(state.name, ())
    if len(names) < _SAMPLES:
        bound = fresh.bound | {"aps_limit": _SAMPLES - len(names)}
        rows = fresh.database.rows(statements.items(state.evidence), bound)
        looked.samples[state.name] = names + tuple(str(row["item"]) for row in rows)


def _stop_if_older(fresh: Snapshot) -> None:
    query = fresh.matrix.ahead
    rows = fresh.database.rows(query.sql, fresh.bound) if query else []
    if rows:
        row = rows[0]
        key: Key = tuple(str(row[column]) for column in fresh.types)
        raise Older(
            f"the database is older than the store: {row['item']} is of epoch {row['epoch']}, "
            f"but job {'/'.join(key)} is at epoch {row['job_epoch']}; was an older copy restored?"
        )
