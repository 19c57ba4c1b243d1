"""A mutation: one thing removed from the queue or the engine, and the programs that ought to notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from aps.drill.explore.program import Program
from aps.drill.explore.scene import Scene


class Stale(Exception):
    """What is to be removed is not there: the queue, or the mutation, is not as it was when this was written."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`of` is a statement or the apply, `removed` what it goes without while `without` is in force.

    `redundant` says why nothing can notice, where that is so: other columns or constraints imply what was removed.
    """

    of: str
    removed: str
    programs: tuple[Program, ...]
    without: Callable[[Scene], AbstractContextManager[None]]
    redundant: str = ""


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """That attribute is another one for a while. For a process of its own, where nobody else can meet it."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
