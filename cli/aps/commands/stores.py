"""The options that name an artifact store, and what a long look into one shows on a terminal."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from aps.errors import Usage

if TYPE_CHECKING:
    from rich.status import Status

    from aps.files import Sight
    from aps.store import Progress

Level = Literal["listed", "rehashed"]

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        envvar="APS_STORE",
        help="The folder of the artifacts: a path, or file:///PATH.",
    ),
]
Observations = Annotated[
    str | None,
    typer.Option(
        "--observations",
        metavar="FILE",
        help="In place of the store: what `rclone lsjson --hash -R` printed.",
    ),
]
LevelOption = Annotated[
    Level,
    typer.Option(
        "--level",
        metavar="|".join(get_args(Level)),
        help="Look at names and sizes, or read every file that a row names.",
    ),
]

_LONG: float = 1.0


def sight(
    store: str | None, observations: str | None, level: Level, tell: Progress | None
) -> Sight | None:
    """What was given to be looked at; a listing goes before a store. Raises StoreError, Usage."""
    if observations is not None and level == "rehashed":
        raise Usage("--level rehashed: a listing has no bytes to read; give the store itself")
    if observations is None and store is None:
        if level == "rehashed":
            raise Usage("--level rehashed needs --store: there are no files to read")
        return None
    from aps import store as stores
    from aps.files import Sight

    opened = stores.observed(observations) if observations is not None else stores.open(store or "")
    return Sight(opened, rehash=level == "rehashed", tell=tell)


def given(store: str | None, *, demo: bool) -> str | None:
    """The store to look at. Raises Usage where the command line names two, DatabaseError where no demo runs."""
    if not demo:
        return store
    if store is not None and store != os.environ.get("APS_STORE"):
        raise Usage("--demo and --store name two stores; give one of them")
    from aps.demo import control

    return control.store()


def words(store: str | None, observations: str | None, level: Level, *, demo: bool) -> list[str]:
    """The options to repeat, so that a printed command looks at the same files."""
    told = []
    if observations is not None:
        told.append(f"--observations {shlex.quote(observations)}")
    elif store is not None and not demo and store != os.environ.get("APS_STORE"):
        told.append(f"--store {shlex.quote(store)}")
    return [*told, *(["--level rehashed"] if level == "rehashed" else [])]


def needed(store: str | None, *, demo: bool) -> list[str]:
    """The option of a command that acts on files; what was not given is a placeholder that names no folder."""
    if store is None and not demo:
        return ["--store URL"]
    return words(store, None, "listed", demo=demo)


def joined(*words: str) -> str:
    """Options as one text; what is empty is left out."""
    return " ".join(filter(None, words))


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Hears how far a look is; after a second it is shown on stderr, where that is a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    shown = _Shown()
    try:
        yield shown.tell
    finally:
        shown.end()


class _Shown:
    def __init__(self) -> None:
        self._began = time.monotonic()
        self._told = self._began
        self._status: Status | None = None

    def tell(self, files: int, length: int) -> None:
        now = time.monotonic()
        if now - self._began < _LONG or now - self._told < 0.1:
            return
        self._told = now
        read = f", {length / 1e6:,.0f} MB read" if length else ""
        text = f"looking at files: {files:,}{read}"
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(text)
            self._status.start()
        self._status.update(text)

    def end(self) -> None:
        if self._status:
            self._status.stop()
