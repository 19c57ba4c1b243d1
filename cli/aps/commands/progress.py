"""How far something long is, on stderr: alive on a terminal, a line a step elsewhere, nothing where nobody asked."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from aps.commands import console

if TYPE_CHECKING:
    from rich.progress import Progress


class Shown(Protocol):
    """What is shown; `clear` it before anything else is printed, and at the end."""

    def show(self, text: str) -> None: ...

    def clear(self) -> None: ...


def shown(*, quiet: bool) -> Shown:
    if quiet or sys.stderr is None:
        return Nothing()
    alive = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return Alive() if alive else Lines()


class Nothing:
    def show(self, text: str) -> None:
        pass

    def clear(self) -> None:
        pass


class Lines(Nothing):
    def show(self, text: str) -> None:
        console.say(text)


class Alive:
    """One line with the seconds that the step has taken so far; it leaves no trace."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def show(self, text: str) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        self.clear()
        line = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self._progress = Progress(
            SpinnerColumn(),
            line,
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._progress.add_task(text, total=None)
        self._progress.start()

    def clear(self) -> None:
        if self._progress:
            self._progress.stop()
        self._progress = None
