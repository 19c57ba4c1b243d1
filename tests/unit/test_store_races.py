from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from queue import SimpleQueue

from hypothesis import given, settings
from hypothesis import strategies as st

from aps.store import QUARANTINE, Moved, NotMoved
from tests.unit.store_folders import PATIENCE, Folder, expected

NAME = "7/3-abc"
CONTENT = b"an orphan"


class Turns:
    """A move in a thread of its own, that goes on to its next step when it is its turn."""

    def __init__(self, folder: Folder, verb: str, operation: str) -> None:
        self._may: SimpleQueue[None] = SimpleQueue()
        self._stands: SimpleQueue[bool] = SimpleQueue()
        self.answer: Moved | NotMoved | BaseException | None = None
        store = folder.pausing(self._pause)
        self._move = store.quarantine if verb == "quarantine" else store.restore
        self._operation = operation
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.over = self._stands.get(timeout=PATIENCE)

    def _pause(self, _: str) -> None:
        self._stands.put(False)
        self._may.get(timeout=PATIENCE)

    def _run(self) -> None:
        try:
            self._pause("begin")
            self.answer = self._move(NAME, self._operation, expected(CONTENT))
        except BaseException as error:
            self.answer = error
        self._stands.put(True)

    def go_on(self) -> None:
        if not self.over:
            self._may.put(None)
            self.over = self._stands.get(timeout=PATIENCE)
        if self.over:
            self._thread.join()


MOVES = st.tuples(st.sampled_from(["quarantine", "restore"]), st.sampled_from(["op", "other"]))


@given(st.lists(MOVES, min_size=2, max_size=3), st.lists(st.integers(0, 2), max_size=40))
@settings(deadline=None, max_examples=100)
def test_no_interleaving_of_moves_and_their_reverses_loses_the_file(
    moves: list[tuple[str, str]], schedule: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = Folder.at(Path(path))
        folder.add(NAME, CONTENT)
        turns = [Turns(folder, *move) for move in moves]
        for at in schedule:
            turns[at % len(turns)].go_on()
        for turn in turns:
            while not turn.over:
                turn.go_on()
            assert isinstance(turn.answer, Moved | NotMoved)
        held = folder.held()
        assert held
        assert set(held.values()) == {CONTENT}
        assert set(held) <= {NAME, *(f"{QUARANTINE}/{op}/{NAME}" for op in ("op", "other"))}


@given(st.sampled_from(["op", "other"]), st.lists(st.integers(0, 1), max_size=24))
@settings(deadline=None, max_examples=60)
def test_in_every_interleaving_of_two_quarantines_just_one_moves_the_file(
    operation: str, schedule: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = Folder.at(Path(path))
        folder.add(NAME, CONTENT)
        turns = [Turns(folder, "quarantine", one) for one in ("op", operation)]
        for at in schedule:
            turns[at].go_on()
        for turn in turns:
            while not turn.over:
                turn.go_on()
        answers = [turn.answer for turn in turns if isinstance(turn.answer, Moved)]
        assert sorted(answer.already for answer in answers) == [False, True]
        assert NAME not in folder.held()
        assert all((folder.path / answer.where).read_bytes() == CONTENT for answer in answers)
