"""The exit codes, once. Help and documents are made from this table; when several apply, the rank decides."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    CLEAR = 0
    BUG = 1
    USAGE = 2
    WARNING = 10
    CRITICAL = 11
    UNDETERMINED = 12
    NO_SUCH_JOB = 13
    NOTHING_APPLIED = 20
    IN_PART = 21
    LOCKED = 22
    ROLLED_BACK = 23
    UNKNOWN = 24
    REFUSED = 25
    NOT_VERIFIED = 26
    ROW_FAILED = 27
    MATRIX = 30
    DATABASE = 31
    STORE = 32
    SUPERSEDED = 40
    CANCELLED = 41
    OPEN = 42
    INCOMPATIBLE = 43
    INTERRUPTED = 130


MEANING: dict[Exit, str] = {
    Exit.CLEAR: "nothing needs attention, or all was applied",
    Exit.BUG: "aps itself failed: a bug",
    Exit.USAGE: "wrong usage",
    Exit.WARNING: "found, at warning",
    Exit.CRITICAL: "found, at critical",
    Exit.UNDETERMINED: "something is undetermined, unclassified or in conflict",
    Exit.NO_SUCH_JOB: "no such job",
    Exit.NOTHING_APPLIED: "nothing applied: no longer as seen",
    Exit.IN_PART: "applied in part",
    Exit.LOCKED: "locked elsewhere: try again",
    Exit.ROLLED_BACK: "rolled back by its criterion",
    Exit.UNKNOWN: "outcome unknown",
    Exit.REFUSED: "refused: --yes, --reason, attestation, grant, limit, standby, declined",
    Exit.NOT_VERIFIED: "applied, but the verification failed",
    Exit.ROW_FAILED: "a row failed",
    Exit.MATRIX: "the matrix is invalid",
    Exit.DATABASE: "the database is out of reach",
    Exit.STORE: "the store is out of reach, or not the right one",
    Exit.SUPERSEDED: "completion superseded by a later epoch",
    Exit.CANCELLED: "completion of a cancelled job",
    Exit.OPEN: "completion still open",
    Exit.INCOMPATIBLE: "completion incompatible with the record",
    Exit.INTERRUPTED: "interrupted",
}

# Worst first (DESIGN section 10).
_LOOKS = (Exit.CRITICAL, Exit.UNDETERMINED, Exit.WARNING, Exit.CLEAR)
_OPERATIONS = (
    Exit.UNKNOWN,
    Exit.NOT_VERIFIED,
    Exit.ROLLED_BACK,
    Exit.ROW_FAILED,
    Exit.LOCKED,
    Exit.IN_PART,
    Exit.REFUSED,
    Exit.NOTHING_APPLIED,
    Exit.CLEAR,
)


def of_look(found: Iterable[Exit]) -> Exit:
    """The worst of what a look found; its place in the list never matters."""
    return min(found, key=_LOOKS.index, default=Exit.CLEAR)


def of_operation(found: Iterable[Exit]) -> Exit:
    """The worst of what an operation met; its place in the list never matters."""
    return min(found, key=_OPERATIONS.index, default=Exit.NOTHING_APPLIED)
