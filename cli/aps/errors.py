"""Errors that a person can act on; each takes one clear sentence, a bug keeps its traceback.

ApsError
├── Usage            2   the command line asks for something that does not exist
├── NoSuchJob       13   no row has the key that was named
├── Refused         25   the matrix, the role or the person does not permit it
│   └── PlanError   25   the plan is damaged, too old, or made for another pack or database
├── MatrixError     30   the pack has faults, one a line
├── DatabaseError   31   the database is out of reach, or refused a statement that nothing can be told without
└── StoreError      32   the store is out of reach, or not the right one
"""

from __future__ import annotations

from typing import ClassVar


class ApsError(Exception):
    """The root; `exit_code` is what the process ends with."""

    exit_code: ClassVar[int] = 1


class Usage(ApsError):
    exit_code = 2


class NoSuchJob(ApsError):
    exit_code = 13


class Refused(ApsError):
    exit_code = 25


class PlanError(Refused):
    pass


class MatrixError(ApsError):
    exit_code = 30


class DatabaseError(ApsError):
    exit_code = 31


class StoreError(ApsError):
    exit_code = 32
