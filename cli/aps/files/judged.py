"""Jobs judged by their rows and by what was seen of their files; what speaks against a row is looked at twice.

A file that speaks against its row is looked at again after that row was read; where it is another by then, the row is
read once more, and judged by the second look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from aps import evidence, weighing
from aps import snapshot as snapshots
from aps.evidence import Judgement
from aps.files.claims import Claims
from aps.files.looked import Wanted
from aps.files.sight import Sight
from aps.model.matrix import State
from aps.observed import Observed
from aps.snapshot import Key, Snapshot
from aps.store import Observation
from aps.weighing import Narrowing, Weighed

# Each job is compared with all names that are bound with it, so the work grows with the square.
_TOGETHER: Final = 100

Seen = Mapping[str, Observation]


def judged(
    sight: Sight, snapshot: Snapshot, claims: Claims
) -> tuple[Snapshot, dict[Key, Judgement], Seen]:
    """Each job by every state, with the names that it claims, looked at now. No transaction may be open.

    Raises StoreError.
    """
    seen = sight.look(_names(claims, claims))
    fresh, found = _judge(sight, snapshot, claims, seen)
    accused = [key for key, judgement in found.items() if _accused(snapshot, judgement)]
    moved, later = _moved(sight, claims, accused, seen)
    if moved:
        fresh, better = _judge(sight, snapshot, moved, later)
        found |= better
        seen |= later
    return fresh, found, seen


def weighed(
    sight: Sight, snapshot: Snapshot, claims: Claims, states: Sequence[State], wanted: Wanted
) -> tuple[list[tuple[datetime, Weighed]], Seen]:
    """As `judged`, by these states, but counted: in parts, each under its own clock, none of a job of another."""
    seen = sight.look(_names(claims, claims))
    clock, first = _weigh(sight, snapshot, claims, seen, states, wanted)
    accused = dict.fromkeys(one.key for one in first.accused)
    moved, later = _moved(sight, claims, accused, seen)
    if not moved:
        return [(clock, first)], seen
    first.accused = [one for one in first.accused if one.key not in moved]
    second = _weigh(sight, snapshot, moved, later, states, wanted)
    return [(clock, first), second], {**seen, **later}


def _names(claims: Claims, keys: Iterable[Key]) -> list[str]:
    return list(dict.fromkeys(name for key in keys for name in claims[key]))


def _moved(
    sight: Sight, claims: Claims, accused: Iterable[Key], seen: Seen
) -> tuple[Claims, dict[str, Observation]]:
    """Those of the accused whose files are others by now, and what was seen of all of the accused."""
    accused = list(accused)
    if not accused:
        return {}, {}
    later = sight.look(_names(claims, accused))
    moved = {
        key: claims[key]
        for key in accused
        if any(seen[name] != later[name] for name in claims[key])
    }
    return moved, later


def _accused(snapshot: Snapshot, judgement: Judgement) -> bool:
    states = (snapshot.matrix.state(name) for name in judgement.rows)
    return any(state and weighing.accuses(state) for state in states)


def _judge(
    sight: Sight, snapshot: Snapshot, claims: Claims, seen: Seen
) -> tuple[Snapshot, dict[Key, Judgement]]:
    """On one snapshot of its own."""
    found: dict[Key, Judgement] = {}
    with snapshot.database.look():
        fresh = snapshots.again(snapshot)
        for keys in _batches(list(claims)):
            observed = Observed.of((seen[name] for name in _names(claims, keys)), sight.level)
            judgements = evidence.judge(snapshots.seeing(fresh, observed), keys)
            found |= dict(zip(keys, judgements, strict=True))
    return fresh, found


def _weigh(
    sight: Sight,
    snapshot: Snapshot,
    claims: Claims,
    seen: Seen,
    states: Sequence[State],
    wanted: Wanted,
) -> tuple[datetime, Weighed]:
    """On one snapshot of its own."""
    observed = Observed.of((seen[name] for name in _names(claims, claims)), sight.level)
    narrowing = Narrowing(wanted.where, wanted.older_than, wanted.eligible)
    with snapshot.database.look():
        fresh = snapshots.seeing(snapshots.again(snapshot), observed)
        return fresh.clock, weighing.weigh(fresh, list(claims), states, wanted.keep, narrowing)


def _batches(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    for start in range(0, len(keys), _TOGETHER):
        yield keys[start : start + _TOGETHER]
