"""What came of a look at files: counts by state, what could not be seen and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from aps import evidence
from aps.evidence import Count
from aps.model.report import Evidence
from aps.snapshot import Key


@dataclass(slots=True)
class Looked:
    """`level` is how far was looked; `unseen` has the states that stay undetermined, with the reason.

    `looked` of `claimed` names that rows claim could be judged; `walked` files lie in the store. None: not asked for.
    `error` is why nothing of the store could be believed.
    """

    level: str = "recorded"
    counts: dict[str, Count] = field(default_factory=dict)
    samples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unseen: dict[str, str] = field(default_factory=dict)
    looked: int | None = None
    claimed: int | None = None
    walked: int | None = None
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

    def add(self, key: Key, rows: Sequence[Evidence], clock: datetime, *, kept: bool) -> None:
        """One job with its rows; only where `kept` it may be among the worst."""
        since = evidence.since(rows)
        age = None if since is None else max(0.0, (clock - since).total_seconds())
        self.merge(Count(len(rows), 1, None, age), {key: since} if kept else {})

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
        self._worst = sorted(self._worst)[: self._keep]

    def count(self) -> Count:
        self._trim()
        return Count(self._items, self._jobs, None, self._oldest, _keys(self._worst))


def _keys(worst: Iterable[tuple[bool, float, int, Key]]) -> tuple[Key, ...]:
    return tuple(dict.fromkeys(key for *_, key in worst))
