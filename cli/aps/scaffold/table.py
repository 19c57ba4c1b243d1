"""A table as the catalogue describes it: what a pack can be guessed from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

# How the values of a column are known: all that there can be, or those that were seen.
Known = Literal["enum", "check", "sample"]

_TEXT, _NUMBER, _TIME, _BOOLEAN, _ENUM = "S", "N", "D", "B", "E"
_INTEGERS = ("smallint", "integer", "bigint")
_TIMES = ("timestamp with time zone", "timestamp without time zone")


@dataclass(frozen=True, slots=True)
class Column:
    """`sql` is the name as SQL takes it, `kind` the server's category of its type.

    `values` are the distinct ones, None where the column was not asked or holds too many.
    """

    name: str
    sql: str
    type: str
    kind: str
    nullable: bool = True
    default: str | None = None
    generated: bool = False
    values: tuple[str, ...] | None = None
    known: Known | None = None

    @property
    def is_text(self) -> bool:
        return self.kind in (_TEXT, _ENUM)

    @property
    def is_integer(self) -> bool:
        return self.type in _INTEGERS

    @property
    def is_boolean(self) -> bool:
        return self.kind == _BOOLEAN

    @property
    def is_enum(self) -> bool:
        return self.kind == _ENUM

    @property
    def is_time(self) -> bool:
        return self.kind == _TIME and self.type in _TIMES

    @property
    def is_naive(self) -> bool:
        return self.type == _TIMES[1]

    @property
    def words(self) -> tuple[str, ...]:
        """`lockedUntil`, `locked_until` and `LOCKED UNTIL` alike."""
        parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", self.name)
        return tuple(re.sub(r"[\W_]+", " ", parted).lower().split())


@dataclass(frozen=True, slots=True)
class Table:
    """`name` is what matrix.yaml calls it, `sql` what a query does; `key` are the columns that name a row.

    `schema` is the SQL name of a schema that not everybody may use, None where everybody may.
    """

    name: str
    sql: str
    columns: tuple[Column, ...]
    key: tuple[Column, ...]
    schema: str | None = None

    def others(self) -> Iterable[Column]:
        return (column for column in self.columns if column not in self.key)
