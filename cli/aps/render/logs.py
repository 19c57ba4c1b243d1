"""What the journal tells, as it leaves in JSON: counts as numbers, before and after as objects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aps.model.report import Evidence
from aps.render import age

FORMAT_VERSION = "1.0"

Value = str | int | None | Mapping[str, str | None]
Row = Mapping[str, Value]

_COUNTS = frozenset({"applied", "open", "planned", "batch"})
_OBJECTS = frozenset({"before", "after"})


@dataclass(frozen=True, slots=True)
class Log:
    """Operations, newest first: operation, at, command, state, role, applied, planned, reason."""

    format_version: str
    operations: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class LoggedOperation:
    """One operation: its batches, one entry a changed job and item, and what was noted."""

    format_version: str
    batches: tuple[Row, ...]
    entries: tuple[Row, ...]
    notes: tuple[str, ...]


def log(rows: Sequence[Evidence]) -> Log:
    return Log(FORMAT_VERSION, tuple(map(_row, rows)))


def operation(
    batches: Sequence[Evidence], entries: Sequence[Evidence], notes: Sequence[str]
) -> LoggedOperation:
    return LoggedOperation(
        FORMAT_VERSION, tuple(map(_row, batches)), tuple(map(_row, entries)), tuple(notes)
    )


def _row(row: Evidence) -> Row:
    return {name: _value(name, value) for name, value in row.items()}


def _value(name: str, value: str | None) -> Value:
    if value is None:
        return None
    if name == "at":
        return time.isoformat() if (time := age.read(value)) else value
    if name in _COUNTS and value.isascii() and value.isdigit():
        return int(value)
    return columns(value) or value if name in _OBJECTS else value


def columns(value: str | None) -> Mapping[str, str | None] | None:
    """The columns that `before` or `after` holds; None where it is no such object."""
    try:
        read = json.loads(value or "null", parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        return None
    if not isinstance(read, dict):
        return None
    return {name: _text(column) for name, column in read.items()}


def _text(value: object) -> str | None:
    return (
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )
