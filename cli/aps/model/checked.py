"""What a check of a pack found, as it leaves in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aps.exits import Exit
from aps.model.report import PackRef, Server

FORMAT_VERSION = "1.0"

# Of a fault the matrix is to be mended; a warning may stand; what is undetermined could not be checked.
Severity = Literal["fault", "undetermined", "warning"]
RANK: dict[Severity, int] = {"fault": 0, "undetermined": 1, "warning": 2}
_EXIT = {"fault": Exit.MATRIX, "undetermined": Exit.UNDETERMINED, "warning": Exit.WARNING}


@dataclass(frozen=True, slots=True)
class Finding:
    """`file` is relative to the pack, `line` counts from 1, None where no line can be named; `remedy` is what to do."""

    file: str
    line: int | None
    severity: Severity
    sentence: str
    remedy: str

    @property
    def place(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Jobs that several lifecycle states claim, or none: how many, and the first of them with those states."""

    kind: Literal["conflict", "unclassified"]
    jobs: int
    examples: tuple[str, ...]
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totality:
    """Whether each job of the population is in exactly one lifecycle state; `reason` says why that is not known."""

    verdict: Literal["ok", "broken", "not_checked"]
    population: int | None
    reason: str | None
    doubts: tuple[Doubt, ...] = ()


def not_checked(reason: str, population: int | None = None) -> Totality:
    return Totality("not_checked", population, reason)


@dataclass(frozen=True, slots=True)
class Counts:
    """Queries of the pack; those that the server described, planned, and those that were tried with five keys."""

    queries: int = 0
    described: int = 0
    planned: int = 0
    tried_with_keys: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of one pack. Without `database` only its files were read: their faults come first.

    `scratch`: the database was a private, empty one with the pack's own schema.
    """

    format_version: str
    system: str | None
    pack: PackRef
    database: Server | None
    scratch: bool
    findings: tuple[Finding, ...]
    counts: Counts
    totality: Totality
    exit_code: int


def worst_first(findings: list[Finding]) -> tuple[Finding, ...]:
    """Each once, by severity, then by place."""
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda found: (RANK[found.severity], found.file, found.line or 0, found.sentence),
        )
    )


def exit_code(findings: tuple[Finding, ...]) -> int:
    """Of the worst: 30 for a fault, 12 where something could not be checked, 10 for warnings, else 0."""
    worst = min(findings, key=lambda found: RANK[found.severity], default=None)
    return int(_EXIT[worst.severity] if worst else Exit.CLEAR)
