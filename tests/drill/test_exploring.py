"""The explorer runs every interleaving, leaves to wait what waits, and tells what does not hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import factorial, prod
from threading import Event

import pytest

from aps.drill.explore import lockstep
from aps.drill.explore.lockstep import Lockstep
from aps.drill.explore.program import Hand, Program, Role
from aps.drill.explore.programs import outwaited, parties, setups, workers
from aps.drill.explore.scene import Scene
from aps.drill.explore.searching import search
from aps.errors import DatabaseError
from tests.support.exploring import nobody, searched

HOLDS = Role(outwaited.holds_the_row, "postgres")


def program(**roles: Role | Callable[[Hand], object]) -> Program:
    """Job 1, held by A; none of the parties is alone on the queue."""
    made = {name: one if isinstance(one, Role) else Role(one) for name, one in roles.items()}
    return Program("test", "of a test", made, setups.held_by_a)


@pytest.mark.parametrize(
    ("one", "steps"),
    [
        (workers.IMPOSTOR, (2, 4)),
        (outwaited.LATE["publish"], (1, 2, 1)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_every_order_of_the_steps_is_run(
    scene: Scene, one: Program, steps: tuple[int, ...]
) -> None:
    found = searched(scene, one).values()
    run = sum(part.interleavings for part in found)
    assert run == factorial(sum(steps)) / prod(map(factorial, steps))
    assert [part.violations for part in found] == [[]] * len(steps)
    told = {name: len(made) for part in found for name, made in part.sessions.items()}
    assert tuple(told[name] for name in one.parties) == steps


def test_the_same_program_is_run_the_same_way_again(scene: Scene) -> None:
    first, again = (searched(scene, outwaited.LATE["publish"]) for _ in range(2))
    assert first == again
    assert sum(part.waits for part in first.values()) > 0
    assert sum(part.diverged for part in first.values()) == 0


def test_what_waits_for_a_lock_has_no_turn_until_that_is_free(scene: Scene) -> None:
    one = program(A=Hand.heartbeat, H=HOLDS)
    moves = Lockstep(scene, one.plays(scene))
    try:
        assert [moves.turn("H"), moves.turn("A")] == ["lock the row", "heartbeat"]
        assert (moves.ready, moves.waits) == (["H"], 1)
        assert scene.told.steps == ["H lock the row: held"]
        assert moves.turn("H") == "commit"
        assert (moves.ready, moves.failures()) == ([], [])
    finally:
        moves.end()
    assert sorted(scene.told.steps[1:]) == ["A heartbeat: renewed", "H commit: done"]


def test_who_is_left_in_the_middle_of_a_transaction_holds_nothing_against_the_next(
    scene: Scene,
) -> None:
    one = program(A=Hand.heartbeat, H=HOLDS)
    moves = Lockstep(scene, one.plays(scene))
    moves.turn("H")
    moves.end()
    assert moves.steps == 1
    again = searched(scene, one)
    assert sum(part.interleavings for part in again.values()) == 3
    assert all(part.violations == [] for part in again.values())


def test_a_step_that_neither_ends_nor_waits_for_a_lock_is_an_error(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lockstep, "_DEADLINE", 0.05)
    never = Event()

    def hangs(hand: Hand) -> None:
        hand.cue("hang")
        never.wait()

    moves = Lockstep(scene, program(A=hangs).plays(scene))
    with pytest.raises(DatabaseError, match="A neither ends its step nor waits for a lock"):
        moves.turn("A")
    never.set()
    moves.end()


def test_a_party_that_ends_by_an_error_is_a_violation_with_the_steps_before(scene: Scene) -> None:
    def stumbles(hand: Hand) -> None:
        hand.heartbeat()
        hand.cue("stumble")
        raise KeyError("lost")

    found = search(scene, program(A=stumbles), "A").violations
    assert [one.invariant for one in found] == ["no session ends by an error"]
    assert found[0].detail == "A: KeyError: 'lost'"
    assert found[0].steps == ("A heartbeat: renewed",)


def test_a_statement_that_fails_is_a_violation(scene: Scene) -> None:
    scene.altered["heartbeat"] = "SELECT %(job_id)s::bigint / 0, %(worker)s, %(epoch)s"
    found = search(scene, program(A=Hand.heartbeat), "A").violations
    assert [one.invariant for one in found] == ["a statement of the queue does not fail"]
    assert "division by zero" in found[0].detail
    assert found[0].steps == ("A heartbeat: 22012",)


def test_a_statement_without_its_fence_is_noticed_with_the_steps_that_led_there(
    scene: Scene,
) -> None:
    fence = " AND h.epoch = %(epoch)s"
    text = scene.statement("publish")
    assert fence in text
    scene.altered["publish"] = text.replace(fence, "")
    found = searched(scene, workers.NAMESAKE)
    noticed = [one for part in found.values() for one in part.violations]
    assert noticed
    assert all(one.steps[-1].startswith("A publish: ") for one in noticed)
    # As soon as some do not hold, the rest is not run.
    assert all(len(part.violations) <= 3 for part in found.values())
    del scene.altered["publish"]
    assert not any(part.violations for part in searched(scene, workers.NAMESAKE).values())


def test_what_a_program_checks_is_asked_after_each_step(scene: Scene) -> None:
    asked: list[tuple[str, ...]] = []

    def check(scene: Scene) -> list[tuple[str, str]]:
        asked.append(tuple(scene.told.steps))
        return [("two steps at most", "three")] if len(scene.told.steps) > 2 else []

    parts = {"A": Role(parties.in_turn(*[Hand.heartbeat] * 4))}
    one = Program("test", "of a test", parts, setups.held_by_a, check=check)
    (violation,) = search(scene, one, "A").violations
    assert (violation.invariant, violation.detail) == ("two steps at most", "three")
    assert [len(steps) for steps in asked] == [1, 2, 3]


def test_a_search_ends_when_it_is_enough(scene: Scene) -> None:
    found = search(scene, workers.IMPOSTOR, "A", lambda found: found.interleavings == 2)
    assert found.interleavings == 2


def test_an_empty_queue_has_no_violation(scene: Scene) -> None:
    one = Program("empty", "of a test", {"A": Role(partial(Hand.take, statement="claim"))}, nobody)
    found = search(scene, one, "A")
    assert (found.violations, found.outcomes) == ([], {"A claim: nothing": 1})
