"""A fault of a pack: where it is, what is wrong, what to do."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from aps import packs

LONGEST = 400
MOST = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """`file` is relative to the pack, line and column count from one; SQL has no column."""

    file: str
    line: int
    column: int | None
    text: str

    def __str__(self) -> str:
        column = "" if self.column is None else f"{self.column}:"
        return _one_line(f"{self.file}:{self.line}:{column} {self.text}")


def _one_line(text: str) -> str:
    # A name or a value from the file stands in it: of any length, with any character.
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 3]}..."


def gather(faults: Iterable[Fault]) -> list[Fault]:
    """Each once, in the order of their places, matrix.yaml first; MOST of them at most."""
    return sorted(
        set(itertools.islice(faults, MOST)),
        key=lambda f: (f.file != packs.FILE, f.file, f.line, f.column or 0, f.text),
    )


def tell(faults: Iterable[Fault]) -> str:
    """One line a fault, as `gather` orders them."""
    told = list(itertools.islice(faults, MOST))
    rest = ["more faults than can be told at once; mend these first"] * (len(told) == MOST)
    return "\n".join([*map(str, gather(told)), *rest])


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that ends a sentence: the nearest known word, else all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known here: {', '.join(words)}" if words else "none is known here"
