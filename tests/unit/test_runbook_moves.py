"""What a matrix says of where a job goes next, and what is wrong with that."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from aps.model.matrix import Matrix, Move
from tests.unit import small_pack

EFFECT = "effect: ready again"
NONE = "    means: nobody has it\n    action: none\n"


def loaded(folder: Path, old: str, new: str) -> Matrix:
    return matrix.load(small_pack.write(folder, ("matrix.yaml", old, new)))


@pytest.mark.parametrize("given", ["ready", "[ready]", "[ready, confirmed_publication]"])
def test_an_action_names_the_states_that_it_leads_to(tmp_path: Path, given: str) -> None:
    state = loaded(tmp_path, EFFECT, f"{EFFECT}, to: {given}").state("adoption")
    assert state
    assert state.action
    assert state.action.to == tuple(given.strip("[]").split(", "))


def test_a_state_names_what_takes_a_job_on(tmp_path: Path) -> None:
    state = loaded(tmp_path, NONE, f"{NONE}    moves: {{adoption: its lease ends}}\n").state(
        "ready"
    )
    assert state
    assert state.moves == (Move("adoption", "its lease ends"),)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (EFFECT, f"{EFFECT}, to: redy", "action.to: no state is called 'redy'; did you mean 'rea"),
        (EFFECT, f"{EFFECT}, to: adoption", "action.to: is the state itself; name what a job"),
        (EFFECT, f"{EFFECT}, to: [ready, ready]", "action.to.1: ready stands twice; name each"),
        (EFFECT, f"{EFFECT}, to: []", "action.to: must hold at least one"),
        (EFFECT, f"{EFFECT}, to: 5", "action.to: must be text, but is read as a number"),
        (NONE, f"{NONE}    moves: {{ready: it waits}}\n", "moves.ready: is the state itself"),
        (NONE, f"{NONE}    moves: {{live_lease: x}}\n", "moves.live_lease: no state is called"),
        (NONE, f"{NONE}    moves: {{adoption: 5}}\n", "moves.adoption: must be text"),
        (NONE, f"{NONE}    moves: {{}}\n", "moves: must hold at least one"),
        (NONE, f"{NONE}    moves: adoption\n", "moves: must be a mapping of key: value"),
    ],
)
def test_a_way_that_leads_nowhere_is_a_fault(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(MatrixError) as caught:
        loaded(tmp_path, old, new)
    assert told in str(caught.value)
    assert str(caught.value).count("\n") == 0
