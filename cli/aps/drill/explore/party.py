"""A party of an interleaving: a thread with a session of its own, which makes one step when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

# Makes its party stand still before the step of that name, until it is that party's turn.
Cue = Callable[[str], None]
Play = Callable[[Cue], object]

_DEADLINE: Final = 60.0


class Dismissed(BaseException):
    """The interleaving is over before this party is: it unwinds, and does nothing more."""


class Party:
    """Everything is asked and told under the lock of `still`, on which it also calls when it stands still.

    `step` is the one it stands before, None while it moves and after its end; `error` is what ended it.
    """

    def __init__(self, name: str, pid: int, play: Play, still: threading.Condition) -> None:
        self.name = name
        self.pid = pid
        self.step: str | None = None
        self.ended = False
        self.error: Exception | None = None
        self._play = play
        self._still = still
        self._turn = threading.Semaphore(0)
        self._dismissed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def stands(self) -> bool:
        return self.ended or self.step is not None

    def go(self) -> str:
        """Make the step it stands before; its name."""
        step = str(self.step)
        self.step = None
        self._turn.release()
        return step

    def dismiss(self) -> None:
        """End it where it stands, or once what it waits for is over."""
        self._dismissed = True
        self._turn.release()

    def join(self) -> None:
        self._thread.join(_DEADLINE)

    def _run(self) -> None:
        try:
            self._play(self._stand)
        except Dismissed:
            pass
        except Exception as error:
            self.error = error
        finally:
            with self._still:
                self.ended = True
                self._still.notify()

    def _stand(self, step: str) -> None:
        if self._dismissed:
            raise Dismissed
        with self._still:
            self.step = step
            self._still.notify()
        self._turn.acquire()
        if self._dismissed:
            raise Dismissed
