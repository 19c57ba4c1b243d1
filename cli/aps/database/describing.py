"""What the server makes of one statement that is not run: its parameters and the columns that it would return."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import DiagnosticField, ExecStatus

from aps.database.failures import ConnectionLost, QueryError, one_line, translated
from aps.errors import ApsError

_NOTHING: Mapping[str, str] = MappingProxyType({})
_PLACEHOLDER = re.compile(r"%%|%\((?P<name>\w+)\)s")


@dataclass(frozen=True, slots=True)
class Column:
    """`type` is the server's number; `table` and `position` are 0 where the value is no plain column."""

    name: str
    type: int
    table: int
    position: int


@dataclass(frozen=True, slots=True)
class Described:
    """`sql` is the statement with its parameters numbered, in the order of `parameters` (name to type)."""

    sql: str
    parameters: dict[str, int]
    columns: tuple[Column, ...]


class NotUnderstood(QueryError):
    """The server cannot parse the statement; `line` counts from 1, None where the server names no place."""

    def __init__(self, message: str, sqlstate: str, line: int | None) -> None:
        super().__init__(message, sqlstate)
        self.line = line


def numbered(sql: str, types: Mapping[str, str] = _NOTHING) -> tuple[str, list[str]]:
    """The statement as it is sent, and the names of its parameters in the order of their numbers.

    With `types` each is cast: a statement that is explained without values infers others than the driver sends.
    """
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None:
            return "%"
        number = f"${names.setdefault(name, len(names) + 1)}"
        return f"({number}::{types[name]})" if name in types else number

    return _PLACEHOLDER.sub(number, sql), list(names)


def describe(
    connection: psycopg.Connection[Any], sql: str, parameters: Mapping[str, Any]
) -> Described:
    """By the extended protocol, unnamed: the parameters have the types that the driver would send.

    Raises NotUnderstood, ConnectionLost.
    """
    sent, names = numbered(sql)
    values = [parameters[name] for name in names]
    transformer = Transformer(connection)
    transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
    pgconn = connection.pgconn
    with translated():
        prepared = pgconn.prepare(b"", sent.encode(), transformer.types or ())
        if prepared.status == ExecStatus.COMMAND_OK:
            prepared = pgconn.describe_prepared(b"")
    if prepared.status != ExecStatus.COMMAND_OK:
        raise _refused(prepared, sent, names)
    columns = tuple(
        Column(
            (prepared.fname(n) or b"").decode(errors="replace"),
            prepared.ftype(n),
            prepared.ftable(n),
            prepared.ftablecol(n),
        )
        for n in range(prepared.nfields)
    )
    types = {name: prepared.param_type(n) for n, name in enumerate(names)}
    return Described(sent, types, columns)


def _refused(result: Any, sent: str, names: list[str]) -> ApsError:
    def told(field: DiagnosticField) -> str:
        return (result.error_field(field) or b"").decode(errors="replace")

    message = one_line(Exception(told(DiagnosticField.MESSAGE_PRIMARY)))
    # What a person wrote is a name, not a number.
    message = re.sub(r"\$(\d+)", lambda found: _named(found, names), message)
    sqlstate = told(DiagnosticField.SQLSTATE)
    if not sqlstate:
        return ConnectionLost(f"the session ended: {message}")
    position = told(DiagnosticField.STATEMENT_POSITION)
    line = sent.count("\n", 0, int(position) - 1) + 1 if position.isdecimal() else None
    return NotUnderstood(message, sqlstate, line)


def _named(found: re.Match[str], names: list[str]) -> str:
    number = int(found[1])
    return f"%({names[number - 1]})s" if 0 < number <= len(names) else found[0]
