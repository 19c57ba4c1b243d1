"""Applies that something in the engine must stop: one program a guard, so that each is missed where it is removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from aps.database import Row
from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import operating, parties, setups
from aps.drill.explore.scene import Scene, named, text, with_state
from aps.model.matrix import Matrix, Query
from aps.model.operation import Operation
from aps.model.plan import Plan

_STATE: Final = "adoption"
_OWNER: Final = "WHERE job_id = ANY (%(job_id)s::bigint[])"


def _reclaims(*at: str, held_to: Callable[[Hand, Operation], None]) -> Role:
    def play(hand: Hand) -> None:
        made: Plan | None = operating.plan(hand, "reclaim", _STATE)
        if made:
            hand.cue("apply")
            held_to(hand, operating.apply(hand, made, at))

    return Role(play, "aps_operate")


def _rolled_back(hand: Hand, done: Operation) -> None:
    if done.counts.get("applied"):
        hand.fault("a criterion that is violated rolls back", f"{dict(done.counts)}")


def _not_verified(hand: Hand, done: Operation) -> None:
    if done.counts.get("applied") and not done.not_verified:
        hand.fault("what is wrong after the commit is told", f"{dict(done.counts)}")


def _left_alone(hand: Hand, done: Operation) -> None:
    """Nobody's, two states', or refused by the time it was judged."""
    if done.counts.get("applied") and "X cancel: cancelled" in hand.scene.told.steps:
        hand.fault("nothing is done where the evidence forbids it", f"{dict(done.counts)}")


def _evidence(state: str, old: str, new: str) -> Callable[[Matrix], Matrix]:
    def adapted(matrix: Matrix) -> Matrix:
        found = named(matrix, state)
        return with_state(matrix, replace(found, evidence=_changed(found.evidence, old, new)))

    return adapted


def _action(old: str, new: str) -> Callable[[Matrix], Matrix]:
    def adapted(matrix: Matrix) -> Matrix:
        found = named(matrix, _STATE)
        if found.action is None or found.action.query is None:
            return matrix
        action = replace(found.action, query=_changed(found.action.query, old, new))
        return with_state(matrix, replace(found, action=action))

    return adapted


def _changed(query: Query, old: str, new: str) -> Query:
    if old not in query.sql:
        raise ValueError(f"{query.file} has no {old!r}")
    return replace(query, sql=query.sql.replace(old, new))


def _meddled(*, late: bool) -> Callable[[Scene], Mapping[str, Row]]:
    def setup(scene: Scene) -> Mapping[str, Row]:
        held = setups.lost_by_a(scene)
        scene.meddle(late=late)
        return held

    return setup


def _guarded(
    name: str,
    title: str,
    *at: str,
    held_to: Callable[[Hand, Operation], None],
    setup: Callable[[Scene], Mapping[str, Row]] = setups.lost_by_a,
    matrix: Callable[[Matrix], Matrix] = lambda matrix: matrix,
) -> Program:
    roles = {
        "A": Role(Hand.publish),
        "O": _reclaims(*at, held_to=held_to),
        "X": Role(parties.cancels(2, 0)),
    }
    return Program(name, title, roles, setup, matrix=matrix)


_CANCELLED: Final = text("bystander_cancelled")

TWO_STATES: Final = _guarded(
    "two-states",
    "a reclaim of a job that a second state claims as soon as another job is cancelled",
    "locked",
    held_to=_left_alone,
    matrix=_evidence(
        "live_lease", "j.lease_until > %(clock)s", f"(j.lease_until > %(clock)s OR {_CANCELLED})"
    ),
)
REFUSED: Final = _guarded(
    "refused",
    "a reclaim of a job that its evidence refuses as soon as another job is cancelled",
    "locked",
    held_to=_left_alone,
    matrix=_evidence(
        _STATE,
        "CASE WHEN j.epoch",
        f"CASE WHEN {_CANCELLED} THEN 'the other job is cancelled' WHEN j.epoch",
    ),
)
MEDDLED: Final = _guarded(
    "meddled",
    "a reclaim during which a trigger touches another job",
    held_to=_rolled_back,
    setup=_meddled(late=False),
)
MEDDLED_LATE: Final = _guarded(
    "meddled-late",
    "the same, by a trigger that is deferred to the end of the transaction",
    held_to=_rolled_back,
    setup=_meddled(late=True),
)
GREEDY: Final = _guarded(
    "greedy",
    "a reclaim whose statement takes and returns a job that it was not given",
    held_to=_rolled_back,
    matrix=_action(_OWNER, f"{_OWNER} OR request_key = 'bystander'"),
)
SPARING: Final = _guarded(
    "sparing",
    "a reclaim whose statement does not spend the epoch",
    held_to=_rolled_back,
    matrix=_action("epoch = epoch + 1", "epoch = epoch"),
)
UNRECORDED: Final = _guarded(
    "unrecorded",
    "a reclaim whose statement does not record the operation",
    held_to=_not_verified,
    matrix=_action("%(operation)s::text || ': '", "left(%(operation)s::text, 0) || ': '"),
)
PROGRAMS: Final = (TWO_STATES, REFUSED, MEDDLED, MEDDLED_LATE, GREEDY, SPARING, UNRECORDED)
