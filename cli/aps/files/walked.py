"""The store walked from end to end, for states whose files no living row names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from aps import evidence, shortlist, statements
from aps import snapshot as snapshots
from aps.files.claimed import CHUNK
from aps.files.looked import Looked, Tally, Wanted
from aps.files.sight import Sight
from aps.model import key
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


def survey(sight: Sight, snapshot: Snapshot, looked: Looked, wanted: Wanted) -> None:
    """Every file of the store, for the states with `artifacts: listed`. Raises StoreError, QueryError, Older.

    A job is counted once as long as its files lie side by side in byte order: in one chunk, or in chunks that follow.
    """
    states = [state for state in snapshot.states if state.artifacts == "listed"]
    counters = [_Counter(state, wanted) for state in states]
    told = _Told()
    looked.walked = 0
    for observed in _chunks(sight, told):
        looked.walked += len(observed.names)
        with snapshot.database.look():
            fresh = snapshots.seeing(snapshots.again(snapshot), observed)
            for _, why in _ahead_of(fresh):
                raise Older(f"store {sight.url}: {why}")
            for counter in counters:
                counter.count(fresh)
                _sample(fresh, counter.state, looked)
    looked.counts |= {counter.state.name: counter.tally.count() for counter in counters}
    looked.notes += told.notes
    if told.folders:
        why = f"not every folder of the store can be read: {', '.join(told.folders)}"
        looked.unseen |= {state.name: why for state in states}


def ahead(sight: Sight, snapshot: Snapshot, notes: list[str]) -> Iterator[tuple[Key, str]]:
    """Every job with a file of an epoch that it has not reached, with the sentence that says so; what could not be seen
    goes to `notes`. No transaction may be open. Raises StoreError, QueryError."""
    if snapshot.matrix.ahead is None:
        return
    told = _Told()
    for observed in _chunks(sight, told):
        with snapshot.database.look():
            found = list(_ahead_of(snapshots.seeing(snapshots.again(snapshot), observed)))
        yield from found
    notes += told.folders and [
        f"not every folder of the store can be read: {', '.join(told.folders)}"
    ]


def _chunks(sight: Sight, told: _Told) -> Iterator[Observed]:
    """Observations of files, in byte order. The walk stands still while a chunk is asked about."""
    walk = sight.walk()
    files = (seen for seen in walk if told.hear(seen) and isinstance(seen, Observation))
    while chunk := list(islice(files, CHUNK)):
        yield Observed.of(chunk, "listed")


class _Counter:
    """One state, chunk by chunk."""

    def __init__(self, state: State, wanted: Wanted) -> None:
        self.state = state
        self.tally = Tally(wanted.keep)
        self._wanted = wanted
        self._before: Collection[Key] = ()

    def count(self, fresh: Snapshot) -> None:
        count = evidence.count(fresh, self.state)
        jobs: dict[Key, datetime | None] = {}
        if count.jobs and _keyed(fresh, self.state):
            # No chunk has more jobs than files.
            jobs = shortlist.oldest(fresh, self.state, CHUNK)
            count = replace(count, jobs=count.jobs - sum(job in self._before for job in jobs))
        if count.items:
            self.tally.merge(count, self._named(fresh, jobs))
        self._before = jobs.keys()

    def _named(
        self, fresh: Snapshot, jobs: dict[Key, datetime | None]
    ) -> Mapping[Key, datetime | None]:
        wanted = self._wanted
        if not jobs or not (wanted.where or wanted.older_than or wanted.eligible):
            return dict(islice(jobs.items(), wanted.keep))
        return shortlist.oldest(
            fresh,
            self.state,
            wanted.keep,
            wanted.where,
            wanted.older_than,
            eligible=wanted.eligible,
        )


def _keyed(fresh: Snapshot, state: State) -> bool:
    return set(fresh.matrix.key) <= set(fresh.columns[state.name])


def _sample(fresh: Snapshot, state: State, looked: Looked) -> None:
    """The first items of a state that has no jobs to name."""
    if _keyed(fresh, state):
        return
    names = looked.samples.get(state.name, ())
    if len(names) < _SAMPLES:
        bound = fresh.bound | {"aps_limit": _SAMPLES - len(names)}
        rows = fresh.database.rows(statements.items(state.evidence), bound)
        looked.samples[state.name] = names + tuple(str(row["item"]) for row in rows)


def _ahead_of(fresh: Snapshot) -> Iterator[tuple[Key, str]]:
    query = fresh.matrix.ahead
    for row in fresh.database.rows(query.sql, fresh.bound) if query else ():
        values: Key = tuple(str(row[column]) for column in fresh.types)
        yield (
            values,
            f"the database is older than the store: {row['item']} is of epoch {row['epoch']}, "
            f"but job {key.text(values)} is at epoch {row['job_epoch']}; was an older copy restored?",
        )
