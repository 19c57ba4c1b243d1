"""The orders of an exploration: every one of them, and none twice."""

from __future__ import annotations

from collections import Counter
from math import factorial, prod

import pytest

from aps.drill.explore.orders import Orders


def run(orders: Orders, steps: dict[str, int], waits: tuple[str, str] | None = None) -> list[str]:
    """Every interleaving of parties with so many steps; of `waits` the first has no turn before the second's first."""
    found = []
    while True:
        left = Counter(steps)
        made: list[str] = []
        while ready := [
            name
            for name in steps
            if left[name] and not (waits and name == waits[0] and waits[1] not in made)
        ]:
            name = orders.choose(ready)
            assert name
            left[name] -= 1
            made.append(name)
        found.append("".join(made))
        if not orders.advance():
            return found


@pytest.mark.parametrize("steps", [{"a": 1}, {"a": 1, "b": 1}, {"a": 3, "b": 2, "c": 1}])
def test_every_order_of_the_steps_is_chosen_exactly_once(steps: dict[str, int]) -> None:
    found = [order for first in steps for order in run(Orders(first), steps)]
    assert len(found) == factorial(sum(steps.values())) / prod(map(factorial, steps.values()))
    assert len(set(found)) == len(found)
    assert {tuple(sorted(order)) for order in found} == {tuple(sorted(Counter(steps).elements()))}


def test_the_orders_that_a_party_begins_begin_with_it() -> None:
    assert {order[0] for order in run(Orders("b"), {"a": 2, "b": 2})} == {"b"}


def test_who_waits_for_a_lock_has_no_turn() -> None:
    assert run(Orders("a"), {"a": 2, "b": 1}, waits=("b", "a")) == ["aab", "aba"]


def test_two_orders_that_follow_each_other_differ_from_the_last_choice_that_was_left() -> None:
    orders = Orders("a")
    for _ in range(4):
        orders.choose(["a", "b", "c"])
    # The last choice had two more.
    assert orders.advance()
    again = []
    for _ in range(4):
        orders.choose(["a", "b", "c"])
        again.append(orders.again)
    assert again == [True, True, True, False]


def test_a_choice_that_is_not_there_any_more_ends_the_interleaving() -> None:
    orders = Orders("a")
    assert [orders.choose(ready) for ready in (["a", "b"], ["b", "c"])] == ["a", "b"]
    assert orders.advance()
    assert orders.choose(["a", "b"]) == "a"
    assert orders.choose(["b"]) is None
