"""What became of a completion that matched nothing, or whose answer was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from aps.model.report import Evidence, PackRef, Server, StoreRef

FORMAT_VERSION = "1.0"

Answer = Literal["applied", "superseded", "cancelled", "open", "incompatible", "undetermined"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)


@dataclass(frozen=True, slots=True)
class Asked:
    """The completion as its worker knows it; None where it was not given, and so not compared."""

    epoch: str
    worker: str | None = None
    candidate: str | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """`final`: no later look says otherwise. `level` is how far the answer was looked for, `recorded` without a file.

    `evidence` is the rest of the row that the query of the pack returned, `evidence_file` that query.
    """

    format_version: str
    system: str
    pack: PackRef
    as_of: str
    database: Server
    store: StoreRef
    job: str
    asked: Asked
    answer: Answer
    final: bool
    reason: str
    next: str
    level: str
    evidence: Evidence
    evidence_file: str
    exit_code: int
