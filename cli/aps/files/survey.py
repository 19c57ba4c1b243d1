"""Both ways through a store, as far as was asked, and what is to be believed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aps import evidence, statements
from aps import snapshot as snapshots
from aps.database import QueryError
from aps.errors import StoreError
from aps.evidence import Judgement
from aps.files import claimed, walked
from aps.files.looked import Looked, Wanted
from aps.files.sight import Sight, known_store
from aps.files.walked import Older
from aps.model.matrix import Matrix, State
from aps.snapshot import Key, Snapshot, explain

_Pass = Callable[[Sight, Snapshot, Looked, Wanted], None]


def survey(
    sight: Sight,
    snapshot: Snapshot,
    chosen: State | None,
    wanted: Wanted,
) -> Looked:
    """The states that need files, over the whole queue and store; only what `chosen` needs, where that is given."""
    looked = Looked(level=sight.level, notes=list(sight.told))
    try:
        if chosen is None or chosen.artifacts in ("claimed", "optional"):
            _one_way(claimed.survey, sight, snapshot, looked, wanted)
        if chosen is None or chosen.artifacts == "listed":
            _one_way(walked.survey, sight, snapshot, looked, wanted)
    except StoreError as error:
        return distrusted(snapshot.matrix, sight, str(error))
    except Older as error:
        return distrusted(snapshot.matrix, sight, str(error))
    return looked


def _one_way(
    way: _Pass,
    sight: Sight,
    snapshot: Snapshot,
    looked: Looked,
    wanted: Wanted,
) -> None:
    """A query that fails makes the states of this way unseen, and no other."""
    try:
        way(sight, snapshot, looked, wanted)
    except QueryError as error:
        needs = "listed" if way is walked.survey else "claimed"
        names = snapshot.matrix.names.sql if snapshot.matrix.names else ""
        why = explain(error, names, snapshot.server.role)
        looked.unseen |= {
            state.name: why for state in snapshot.matrix.states if state.artifacts == needs
        }


def fault(sight: Sight, snapshot: Snapshot) -> str | None:
    """Why nothing in the store may be believed. No transaction may be open."""
    try:
        with snapshot.database.look():
            known = known_store(snapshot.database)
    except QueryError as error:
        return (
            f"store {sight.url}: {explain(error, statements.read('store'), snapshot.server.role)}"
        )
    return sight.fault(snapshot.server.identity, known)


def judge(
    sight: Sight, snapshot: Snapshot, keys: Sequence[Key], looked: Looked
) -> tuple[Snapshot, list[Judgement], Looked]:
    """These jobs with their files, or by their rows alone where the store is not believed, or fails now."""
    if keys and not looked.error:
        try:
            fresh, judgements, _ = claimed.of_jobs(sight, snapshot, keys)
            return fresh, judgements, looked
        except StoreError as error:
            looked = distrusted(snapshot.matrix, sight, str(error))
        except QueryError as error:
            why = explain(error, "", snapshot.server.role)
            looked = distrusted(snapshot.matrix, sight, f"the names of files: {why}")
    with snapshot.database.look():
        fresh = snapshots.again(snapshot)
        return fresh, evidence.judge(fresh, keys) if keys else [], looked


def distrusted(matrix: Matrix, sight: Sight, why: str) -> Looked:
    """Nothing of the store is believed: every state that needs files stays undetermined."""
    unseen = {
        state.name: why for state in matrix.states if state.artifacts in ("claimed", "listed")
    }
    return Looked(unseen=unseen, error=why, notes=list(sight.told))
