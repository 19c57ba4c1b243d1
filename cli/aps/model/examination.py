"""What `aps doctor` found: one Check each, as they leave in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from aps.model.report import PackRef, Server

FORMAT_VERSION = "1.0"

Verdict = Literal["ok", "warning", "critical", "unknown", "not_asked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `critical` makes verdicts wrong, or hides them, or stops what this role is there to do;
    `unknown` could not be looked at; `not_asked` does not apply here, or was not asked for.

    `remedy` has lines to paste (SQL or a command), or a sentence where nothing can be pasted; none where none is known.
    """

    name: str
    verdict: Verdict
    sentence: str
    remedy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examination:
    """All checks, in the order in which they were made."""

    format_version: str
    system: str
    pack: PackRef
    as_of: str
    database: Server
    checks: tuple[Check, ...]
    exit_code: int
