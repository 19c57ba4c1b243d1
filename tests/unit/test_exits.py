"""The rank of the exit codes, once for looks and once for operations."""

from __future__ import annotations

import itertools

import pytest

from aps import exits
from aps.exits import MEANING, Exit

LOOKS = (11, 12, 10, 0)
OPERATIONS = (24, 26, 23, 27, 22, 21, 25, 20, 0)


@pytest.mark.parametrize("first", [True, False], ids=["worst first", "worst last"])
@pytest.mark.parametrize(("worse", "other"), list(itertools.combinations(LOOKS, 2)))
def test_a_look_ends_with_the_worst_wherever_it_stands(worse: int, other: int, first: bool) -> None:
    found = [Exit(worse), Exit(other)] if first else [Exit(other), Exit(worse)]
    assert exits.of_look(found) == worse


@pytest.mark.parametrize("first", [True, False], ids=["worst first", "worst last"])
@pytest.mark.parametrize(("worse", "other"), list(itertools.combinations(OPERATIONS, 2)))
def test_an_operation_ends_with_the_worst_wherever_it_stands(
    worse: int, other: int, first: bool
) -> None:
    found = [Exit(worse), Exit(other)] if first else [Exit(other), Exit(worse)]
    assert exits.of_operation(found) == worse


def test_nothing_found_is_clear_and_nothing_tried_is_nothing_applied() -> None:
    assert exits.of_look([]) == Exit.CLEAR
    assert exits.of_operation([]) == Exit.NOTHING_APPLIED


def test_every_code_has_its_meaning() -> None:
    assert set(MEANING) == set(Exit)
