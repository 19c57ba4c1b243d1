"""Jobs judged by their rows and by what was seen of their files; what speaks against a row is looked at twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from aps import evidence
from aps import snapshot as snapshots
from aps.evidence import Judgement
from aps.files.sight import Sight
from aps.model.matrix import State
from aps.observed import Observed
from aps.snapshot import Key, Snapshot
from aps.store import Observation

# Each job is compared with all names that are bound with it, so the work grows with the square.
_TOGETHER: Final = 100

Claims = Mapping[Key, Sequence[str]]
Seen = Mapping[str, Observation]


def judged(
    sight: Sight, snapshot: Snapshot, claims: Claims, among: Sequence[State] | None = None
) -> tuple[Snapshot, dict[Key, Judgement], Seen]:
    """Each job with the names that it claims, looked at now. No transaction may be open. Raises StoreError.

    A file that speaks against its row is looked at again after that row was read; where it is another by then, the row
    is read once more, and judged by the second look.
    """
    seen = sight.look(_names(claims, claims))
    fresh, found = _ask(sight, snapshot, claims, seen, among)
    accused = [key for key, judgement in found.items() if _accused(snapshot, judgement)]
    if accused:
        later = sight.look(_names(claims, accused))
        moved = {
            key: claims[key]
            for key in accused
            if any(seen[name] != later[name] for name in claims[key])
        }
        if moved:
            fresh, better = _ask(sight, snapshot, moved, later, among)
            found |= better
            seen |= later
    return fresh, found, seen


def _names(claims: Claims, keys: Iterable[Key]) -> list[str]:
    return list(dict.fromkeys(name for key in keys for name in claims[key]))


def _accused(snapshot: Snapshot, judgement: Judgement) -> bool:
    """Is the job in a state of its own that it is in only because of its file."""
    states = (snapshot.matrix.state(name) for name in judgement.rows)
    return any(
        state and state.artifacts == "claimed" and state.kind == "lifecycle" for state in states
    )


def _ask(
    sight: Sight, snapshot: Snapshot, claims: Claims, seen: Seen, among: Sequence[State] | None
) -> tuple[Snapshot, dict[Key, Judgement]]:
    """On one snapshot of its own."""
    found: dict[Key, Judgement] = {}
    with snapshot.database.look():
        fresh = snapshots.again(snapshot)
        for keys in _batches(list(claims)):
            observed = Observed.of((seen[name] for name in _names(claims, keys)), sight.level)
            judgements = evidence.judge(snapshots.seeing(fresh, observed), keys, among)
            found |= dict(zip(keys, judgements, strict=True))
    return fresh, found


def _batches(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    for start in range(0, len(keys), _TOGETHER):
        yield keys[start : start + _TOGETHER]
