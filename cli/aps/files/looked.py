"""What is wanted of a look at files, and what came of it: counts by state, what could not be seen and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from aps import evidence
from aps.evidence import Count
from aps.model.report import Evidence
from aps.snapshot import Key
from aps.weighing import Accused


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which jobs of a state are named, of all that are counted: those in it for longest, `keep` of them."""

    keep: int
    where: Mapping[str, str] = field(default_factory=dict)
    older_than: timedelta | None = None
    eligible: bool = False

    def of(self, rows: Iterable[Evidence], clock: datetime) -> tuple[Evidence, ...]:
        """Those of these rows of one job that match."""
        return tuple(row for row in rows if self._has(row, clock))

    def _has(self, row: Evidence, clock: datetime) -> bool:
        if self.eligible and row.get("refusal"):
            return False
        if self.older_than is not None:
            since = evidence.moment(row.get("since"))
            if since is None or since > clock - self.older_than:
                return False
        return all(_same(row.get(name), value) for name, value in self.where.items())


def _same(told: str | None, wanted: str) -> bool:
    """As the report shows it; of a time also as PostgreSQL writes it."""
    if told == wanted:
        return True
    time = evidence.moment(wanted)
    return time is not None and time == evidence.moment(told)


@dataclass(slots=True)
class Looked:
    """`level` is how far was looked; `unseen` has the states that stay undetermined, with the reason.

    `looked` of `claimed` names that rows claim could be judged; `walked` files lie in the store. None: not asked for.
    Of `judged` names whose jobs are in a state that files tell, `missing` were absent.
    `error` is why nothing of the store could be believed.
    """

    level: str = "recorded"
    counts: dict[str, Count] = field(default_factory=dict)
    samples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unseen: dict[str, str] = field(default_factory=dict)
    looked: int | None = None
    claimed: int | None = None
    walked: int | None = None
    judged: int = 0
    missing: int = 0
    error: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def told(self) -> tuple[str, ...]:
        """What a person should read of this look, how far it went first."""
        went = []
        if self.claimed is not None:
            went.append(f"looked at {self.looked} of {self.claimed} files that rows name")
        if self.walked is not None:
            went.append(f"{self.walked} files in the store")
        apart = f"{', '.join(went)}; counted after the rows, not on their snapshot"
        return (*([apart] if went else []), *self.notes)


class Tally:
    """One state, chunk by chunk. Of its jobs only the worst are kept: those that are in it for longest."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._items = 0
        self._jobs = 0
        self._order = 0
        self._oldest: float | None = None
        self._worst: list[tuple[bool, float, int, Key]] = []

    def add(self, one: Accused, clock: datetime) -> None:
        """One job; only where it fits it may be among the worst."""
        age = None if one.since is None else max(0.0, (clock - one.since).total_seconds())
        self.merge(Count(one.items, 1, None, age), {one.key: one.since} if one.fits else {})

    def merge(self, count: Count, worst: Mapping[Key, datetime | None]) -> None:
        """The count of a chunk, with its first jobs and since when they are in the state."""
        self._items += count.items
        self._jobs += count.jobs
        if count.oldest is not None:
            self._oldest = max(self._oldest or 0.0, count.oldest)
        for key, since in worst.items():
            self._order += 1
            self._worst.append(
                (since is None, since.timestamp() if since else 0.0, self._order, key)
            )
        if len(self._worst) > 2 * self._keep + 1000:
            self._trim()

    def _trim(self) -> None:
        # A job with items in two chunks is named once, by the older.
        first: dict[Key, tuple[bool, float, int, Key]] = {}
        for one in sorted(self._worst):
            first.setdefault(one[-1], one)
        self._worst = list(first.values())[: self._keep]

    def count(self) -> Count:
        self._trim()
        keys = tuple(key for *_, key in self._worst)
        return Count(self._items, self._jobs, None, self._oldest, keys)
