"""What `aps drill` did and saw: one Rehearsal a group or trial, every interleaving counted, every mutant told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from aps.model.report import PackRef

FORMAT_VERSION = "1.0"

Kind = Literal["group", "trial", "interleavings", "mutations"]
Verdict = Literal["holds", "broken", "unfinished"]
Notice = Literal["noticed", "redundant", "missed"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing looked at: what was to be seen and what was seen, as text."""

    what: str
    expected: str
    observed: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One group or trial. `broken`: an observation was not as expected; `unfinished`: it ended by `error`."""

    number: int
    kind: Kind
    name: str
    title: str
    done: tuple[str, ...]
    observations: tuple[Observation, ...]
    proves: str
    does_not_prove: str
    verdict: Verdict
    error: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that did not hold, and the steps after which it did not."""

    invariant: str
    detail: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """One program: its sessions with their steps, run in every order. `waits`: steps that waited for a lock.

    `outcomes` counts what the steps answered, so that a program in which nothing happens shows. `diverged` counts the
    steps that could not be made again as before: none, or some orders were run twice and others not at all.
    """

    program: str
    title: str
    sessions: Mapping[str, tuple[str, ...]]
    interleavings: int
    steps: int
    waits: int
    diverged: int
    outcomes: Mapping[str, int]
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fence column or step that was removed. `by`: the program and invariant that noticed it, or, where it is
    redundant, what makes it so; `interleavings`: how many were run until then."""

    of: str
    removed: str
    notice: Notice
    by: str
    interleavings: int
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drill:
    """The whole report. `settings` are the server's own, as it told them; `asked` is empty where all was run."""

    format_version: str
    started_at: str
    seconds: float
    versions: Mapping[str, str]
    settings: Mapping[str, str]
    pack: PackRef
    asked: tuple[int, ...]
    rehearsals: tuple[Rehearsal, ...]
    explored: tuple[Explored, ...]
    interleavings: int
    mutants: tuple[Mutant, ...]
    counts: Mapping[Verdict, int]
    exit_code: int
