"""What an apply did: one outcome a job, and what it adds up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

FORMAT_VERSION = "1.0"

# DESIGN section 7, in the order in which they are told.
Outcome = Literal[
    "applied", "already", "changed", "locked", "blocked", "refused", "gone", "failed", "unknown"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

# A job and an item of it; the item is empty where the job itself is acted upon.
Id = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Authority:
    """Who acts and why, as it is journaled."""

    reason: str
    ticket: str | None = None
    attested: tuple[str, ...] = ()
    user: str | None = None
    client_host: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """`before` and `after` hold the columns that the action changed, as text; None where nothing was changed.

    `item` is the file that was acted upon; empty where it was the job's row.
    """

    job: str
    outcome: Outcome
    detail: str
    before: Mapping[str, str | None] | None = None
    after: Mapping[str, str | None] | None = None
    item: str = ""

    @property
    def id(self) -> Id:
        return self.job, self.item


@dataclass(frozen=True, slots=True)
class Operation:
    """`transactions` are the server's ids of those that were committed, as text.

    `rolled_back` names the criterion that ended it, `not_verified` what was wrong after the commit.
    """

    format_version: str
    operation: str
    command: str
    state: str
    transactions: tuple[str, ...]
    rows: tuple[Result, ...]
    counts: Mapping[str, int]
    rolled_back: str | None
    not_verified: tuple[str, ...]
    interrupted: bool
    exit_code: int
