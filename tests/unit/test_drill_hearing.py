"""What is made of what a drill's process tells, also where it breaks off."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from aps.drill.heard import Begun
from aps.drill.hearing import Hearing
from aps.errors import ApsError, DatabaseError
from aps.exits import Exit
from aps.model.drill import Drill, Rehearsal
from aps.render import tree
from tests.unit import render_drilled as drilled

BEGUN = Begun(9, "group", "old-publication", "The old publication", 1, 2)


class Watcher:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def step(self, sentence: str) -> None:
        self.told.append(sentence)

    def begun(self, begun: Begun) -> None:
        self.told.append(begun)

    def ended(self, rehearsal: Rehearsal) -> None:
        self.told.append(rehearsal)


def head() -> str:
    told = tree.of(drilled.DRILLED)
    return json.dumps({"head": {name: told[name] for name in ("versions", "settings", "pack")}})


def ended(*rehearsals: Rehearsal, of: Drill = drilled.DRILLED) -> list[str]:
    """The messages of these; the programs and mutants come with the last."""
    lines = []
    for one in rehearsals:
        last = one is rehearsals[-1]
        told = {"explored": of.explored if last else (), "mutants": of.mutants if last else ()}
        lines.append(json.dumps({"rehearsal": tree.of(one), **tree.of(told)}))
    return lines


def heard(*lines: str, groups: tuple[str, ...] = ()) -> tuple[Hearing, Watcher]:
    watcher = Watcher()
    hearing = Hearing(groups, watcher)
    for line in lines:
        hearing.hear(f"{line}\n")
    return hearing, watcher


@pytest.mark.parametrize("drill", [drilled.DRILLED, drilled.WRONG], ids=["holds", "wrong"])
def test_the_nouns_are_those_that_were_told(drill: Drill) -> None:
    hearing, watcher = heard(
        '{"step": "a"}', head(), *ended(*drill.rehearsals, of=drill), '{"done": 1}'
    )
    made = hearing.drill()
    assert hearing.done
    assert watcher.told == ["a", *drill.rehearsals]
    assert replace(made, started_at=drill.started_at, seconds=drill.seconds) == drill


@pytest.mark.parametrize(
    ("drill", "code"),
    [
        (replace(drilled.DRILLED, rehearsals=(drilled.UNFINISHED,)), Exit.UNDETERMINED),
        (replace(drilled.DRILLED, rehearsals=(drilled.UNFINISHED, drilled.BROKEN)), Exit.CRITICAL),
        (replace(drilled.WRONG, rehearsals=(drilled.HOLDS,), mutants=()), Exit.CRITICAL),
        (replace(drilled.WRONG, rehearsals=(drilled.HOLDS,), explored=()), Exit.CRITICAL),
    ],
    ids=["unfinished", "broken", "an invariant", "a mutant"],
)
def test_the_exit_code_is_that_of_the_worst(drill: Drill, code: Exit) -> None:
    hearing, _ = heard(head(), *ended(*drill.rehearsals, of=drill))
    assert hearing.drill().exit_code == code


def test_the_numbers_asked_for_are_in_order_and_told_once() -> None:
    hearing, _ = heard(head(), groups=("9", " 1", "9"))
    assert hearing.drill().asked == (1, 9)


def test_where_it_breaks_off_what_had_begun_is_unfinished() -> None:
    begun = json.dumps({"begun": asdict(BEGUN)})
    hearing, watcher = heard(head(), begun, "Traceback", "[1]", "KeyError: 'x'")
    hearing.broke_off("its process ended with code 1", killed=False)
    (one,) = hearing.drill().rehearsals
    assert watcher.told[-1] == one
    assert (one.number, one.verdict, one.proves) == (9, "unfinished", "")
    why = "the drill broke off: its process ended with code 1: KeyError: 'x'"
    assert one.error == why
    assert list(hearing.words) == ["Traceback", "[1]", "KeyError: 'x'"]


@pytest.mark.parametrize(
    ("lines", "killed", "code"),
    [
        (['{"error": "initdb failed", "exit": 31}'], False, Exit.DATABASE),
        (['{"step": "a"}'], True, Exit.UNDETERMINED),
        (["KeyError: 'x'"], False, Exit.BUG),
    ],
    ids=["an error", "a signal", "a bug"],
)
def test_before_the_first_part_it_is_an_error(lines: list[str], killed: bool, code: Exit) -> None:
    hearing, _ = heard(*lines)
    with pytest.raises(ApsError) as raised:
        hearing.broke_off("how", killed=killed)
    assert raised.value.exit_code == code
    assert isinstance(raised.value, DatabaseError) == (code == Exit.DATABASE)
