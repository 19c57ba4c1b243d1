"""The fence of an apply, each time without one column of a state's evidence, or without some together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from aps.drill.explore.programs import operators
from aps.drill.explore.programs.by_hand import BY_HAND
from aps.drill.explore.scene import Scene
from aps.drill.mutants.mutation import Mutation

_OWNER: Final = (
    "owner, epoch and candidate change together or not at all (constraints owner_has_own_epoch, "
    "candidate_of_this_epoch): the others stop it"
)
_LEASE: Final = "since and lease_until are one time under two names: the other stops it"
_DIGEST: Final = "other bytes have another digest, and that is fenced"
_LEVEL: Final = "what an apply acts on it has read to the last byte: the level cannot change"
_PUBLISHED: Final = "the schema lets nobody change a publication (constraint publication_stays)"
_SEEN: Final = "the file's size, digest and problem change together: the others stop it"

_OVERDUE: Final = {
    "since": _LEASE,
    "kind": "",
    "worker": _OWNER,
    "epoch": _OWNER,
    "lease_until": _LEASE,
    "candidate": _OWNER,
    "abandoned": "",
}
# By state, each column of its evidence with what makes it redundant; nothing where an interleaving notices.
REDUNDANT: Final[dict[str, dict[str, str]]] = {
    "adoption": _OVERDUE,
    "poisoned": {**_OVERDUE, "workers": ""},
    "inconsistent_row": {
        "since": "",
        "fault": "it is derived from the other columns, and each of them is fenced",
        "kind": "",
        "state": "the schema ties it to worker, lease and candidate (constraint ownership_where_running)",
        "worker": _OWNER,
        "epoch": _OWNER,
        "lease_until": "",
        "candidate": _OWNER,
        "newest_attempt": "an attempt that is added or goes changes the fault too",
        "open_attempt": "an attempt that is closed or opened changes the fault too",
    },
    "unconfirmed_materialization": {
        "since": "",
        "kind": "",
        "epoch": "what waits for its input is at epoch 0 (constraint materializing_has_input_at_epoch_0)",
        "input_name": "",
        "input_digest": "an input that has not the recorded digest is refused by the evidence itself",
        "observed_size": _DIGEST,
        "observed_digest": "an input that has not the recorded digest is refused by the evidence itself",
        "level": _LEVEL,
    },
    "missing_artifact": {
        "since": _PUBLISHED,
        "problem": _SEEN,
        "retention": "it is derived from since, problem and the clock",
        "kind": "",
        "epoch": _PUBLISHED,
        "published_name": _PUBLISHED,
        "published_digest": _PUBLISHED,
        "observed_size": _SEEN,
        "observed_digest": _SEEN,
        "level": _SEEN,
    },
    "orphan_candidate": {
        "since": "",
        "epoch": "the name of the file has the epoch in it (constraint candidate_of_this_epoch)",
        "worker": "",
        "ended_as": "",
        "observed_size": _DIGEST,
        "observed_digest": "the move itself holds the file to the planned size and digest",
        "level": _LEVEL,
    },
}
# Columns that stop it for each other: without all of them nothing does.
_TOGETHER: Final = (
    ("adoption", ("since", "lease_until")),
    ("poisoned", ("since", "lease_until")),
    ("inconsistent_row", ("fault", "open_attempt")),
    ("missing_artifact", ("problem", "observed_size", "observed_digest", "level", "retention")),
)


def mutations() -> Iterator[Mutation]:
    """Each column of each state that is acted upon, then those that stand for each other, together."""
    for state, columns in REDUNDANT.items():
        for column, reason in columns.items():
            yield _unfenced(state, (column,), reason)
    for state, together in _TOGETHER:
        yield _unfenced(state, together, "")
    owner = ("worker", "epoch", "candidate", "since", "lease_until", "abandoned")
    removed = ", ".join(owner)
    yield Mutation("fence of adoption", removed, (operators.OLD_PLAN,), _without("adoption", owner))


def _unfenced(state: str, columns: tuple[str, ...], reason: str) -> Mutation:
    programs = tuple(BY_HAND[state].values())
    removed = ", ".join(columns)
    return Mutation(f"fence of {state}", removed, programs, _without(state, columns), reason)


def _without(
    state: str, columns: tuple[str, ...]
) -> Callable[[Scene], AbstractContextManager[None]]:
    @contextmanager
    def without(scene: Scene) -> Iterator[None]:
        scene.unfenced = state, columns
        try:
            yield
        finally:
            scene.unfenced = None

    return without
