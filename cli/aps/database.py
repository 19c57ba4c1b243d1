"""PostgreSQL, the only module that knows psycopg. Everything leaves the server as text and is read as text here.

Statements go by the extended protocol with a bound parameter, unnamed: two statements in one text are refused, and a
transaction pooler works. Settings are local to a transaction; no state stays in the session.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg

from aps import statements
from aps.errors import ApsError, DatabaseError, Usage
from aps.model.report import Identity, Server

Row = dict[str, str | None]
Parameters = Mapping[str, Any]

OLDEST_SERVER, NEWEST_SERVER = 150000, 190000


class QueryError(ApsError):
    """One statement failed and the session lives on. `sqlstate` is PostgreSQL's five characters."""

    exit_code = DatabaseError.exit_code

    def __init__(self, message: str, sqlstate: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class ConnectionLost(DatabaseError):
    """The session ended; what a COMMIT in flight did is not known here."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Longest waits of a transaction, in milliseconds."""

    statement: int = 30_000
    lock: int = 2_000
    # Shorter than the patience of a settlement: a transaction whose client is gone ends before it is given up.
    idle: int = 20_000


class Database:
    """One session. Use `connect`; use as a context manager, which closes it."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        limits: Limits,
        search_path: str,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._connection = connection
        self._limits = limits
        self._search_path = search_path
        self._show = show
        self.host = connection.info.host or "local socket"

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def pid(self) -> int:
        return self._connection.info.backend_pid

    @contextmanager
    def look(self) -> Iterator[None]:
        """A read-only transaction on one snapshot; always rolled back at its end."""
        self._begin(psycopg.IsolationLevel.REPEATABLE_READ, read_only=True)
        try:
            yield
        finally:
            self.rollback()

    def begin_write(self) -> None:
        """A transaction that may write, READ COMMITTED; it ends by `commit` or `rollback`."""
        self._begin(psycopg.IsolationLevel.READ_COMMITTED, read_only=False)

    def _begin(self, isolation: psycopg.IsolationLevel, *, read_only: bool) -> None:
        with _translated():
            self._connection.isolation_level = isolation
            self._connection.read_only = read_only
        self.rows(
            statements.read("settings"),
            {
                "statement_timeout": self._limits.statement,
                "lock_timeout": self._limits.lock,
                "idle_timeout": self._limits.idle,
                "search_path": self._search_path,
            },
        )

    def commit(self) -> None:
        """Raises ConnectionLost where the answer did not come, QueryError where the server refused."""
        with _translated():
            self._connection.commit()

    def rollback(self) -> None:
        """Never raises: a session that is gone has rolled back, or settles otherwise."""
        try:
            self._connection.rollback()
        except psycopg.Error:
            self._connection.close()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """What fails inside is undone, and the transaction goes on."""
        with _translated(), self._connection.transaction():
            yield

    @contextmanager
    def _sent(self, sql: str) -> Iterator[psycopg.Cursor[Any]]:
        """A cursor for that statement, which is shown before it runs."""
        if self._show:
            self._show(sql)
        with _translated(), self._connection.cursor() as cursor:
            yield cursor

    def rows(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one statement, each value the server's own text for it."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode(), parameters, prepare=False)
            result = cursor.pgresult
            if result is None or cursor.description is None:
                return []
            names = [column.name for column in cursor.description]
            return [
                {name: _text(result.get_value(row, n)) for n, name in enumerate(names)}
                for row in range(result.ntuples)
            ]

    def call(self, sql: str, parameters: Parameters) -> list[Row]:
        """One statement in a transaction of its own (autocommit, the role's default isolation).

        Raises ConnectionLost where no answer came; whether the statement happened is then not known here.
        """
        if self._connection.closed:
            raise ConnectionLost("the session ended before the statement was sent")
        with _translated():
            self._connection.autocommit = True
        try:
            return self.rows(sql, parameters)
        finally:
            if not self._connection.closed:
                self._connection.autocommit = False

    def columns(self, sql: str, parameters: Parameters) -> tuple[str, ...]:
        """The names of the columns that a statement returns."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode(), parameters, prepare=False)
            return tuple(column.name for column in cursor.description or ())

    def run(self, sql: str) -> None:
        """A script of the project's own (a schema), several statements at once, nothing bound."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode())

    def copy_in(self, sql: str, rows: Iterable[Sequence[str | int | None]]) -> None:
        with self._sent(sql) as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def clock(self) -> datetime:
        """The database clock, now; the same for every query that it is bound into."""
        return timestamp(self.rows(statements.read("clock"), {"aps": "aps"})[0]["clock"])

    def probe(self) -> Server:
        """Who and what this session talks to. Raises DatabaseError for a server that is too old or too new."""
        sent = time.time()
        row = self.rows(statements.read("probe"), {"aps": "aps"})[0]
        middle = (sent + time.time()) / 2
        version = int(row["version_number"] or 0)
        if not OLDEST_SERVER <= version < NEWEST_SERVER:
            raise DatabaseError(
                f"PostgreSQL {row['server_version']} is not supported: use 15 to 18"
            )
        return Server(
            name=str(row["name"]),
            role=str(row["role"]),
            superuser=row["superuser"] == "t",
            host=self.host,
            server_version=str(row["server_version"]).split()[0],
            in_recovery=row["in_recovery"] == "t",
            clock_difference_seconds=round(middle - timestamp(row["clock"]).timestamp(), 3),
            identity=Identity(
                str(row["system_identifier"]), str(row["timeline"] or ""), str(row["database_oid"])
            ),
        )

    def key_types(self, table: str, key: Sequence[str]) -> dict[str, str]:
        """Column to SQL type, in the order of the key. Raises DatabaseError where table or column is not there."""
        schema, _, name = table.rpartition(".")
        found = self.rows(
            statements.read("key_types"),
            {"key": list(key), "table": name, "schema": schema or None},
        )
        types = {str(row["name"]): str(row["type"]) for row in found}
        missing = [column for column in key if column not in types]
        if missing:
            what = f"column {', '.join(missing)} in table {table}" if types else f"table {table}"
            raise DatabaseError(
                f"database {self._connection.info.dbname} has no {what}: "
                "run `aps init` there, or name another database (--dsn) or pack (--pack)"
            )
        return types


def connect(
    dsn: str | None,
    *,
    application: str,
    limits: Limits | None = None,
    search_path: str = "public",
    show: Callable[[str], None] | None = None,
) -> Database:
    """Open a session; without a dsn libpq's own variables and service file decide. Raises DatabaseError, Usage."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(dsn or "")
    except psycopg.ProgrammingError as error:
        raise Usage(f"the connection string is not one: {_one_line(error)}") from error
    given.setdefault("connect_timeout", 10)
    given |= {"application_name": application, "client_encoding": "UTF8"}
    conninfo = psycopg.conninfo.make_conninfo("", **given)
    try:
        # No named prepared statements: they collide behind a transaction pooler.
        connection = psycopg.connect(conninfo, prepare_threshold=None)
    except psycopg.Error as error:
        raise DatabaseError(f"cannot connect: {_one_line(error)}") from error
    return Database(connection, limits or Limits(), search_path, show)


def timestamp(text: str | None) -> datetime:
    """A timestamptz as the server wrote it under DateStyle ISO."""
    if text is None:
        raise ValueError("no time")
    # Without minutes (+00) Python before 3.11 could not; with ISO output the zone is always there.
    return datetime.fromisoformat(text)


def seconds(duration: timedelta) -> float:
    return duration.total_seconds()


def _text(value: bytes | None) -> str | None:
    return None if value is None else bytes(value).decode("utf-8", errors="backslashreplace")


def _one_line(error: Exception) -> str:
    lines = [line.strip(" \t-") for line in str(error).splitlines()]
    return re.sub(r"\s+", " ", "; ".join(line for line in lines if line))


@contextmanager
def _translated() -> Iterator[None]:
    """Driver errors become ours: a lost session, or one failed statement."""
    try:
        yield
    except psycopg.Error as error:
        sqlstate = error.sqlstate or ""
        lost = (
            error.__class__ in (psycopg.OperationalError, psycopg.InterfaceError) and not sqlstate
        )
        # Classes 08 and 57P end the session; a recovery conflict on a standby does too.
        if (
            lost
            or sqlstate.startswith("08")
            or sqlstate in {"57P01", "57P02", "57P03", "57P05", "25P03"}
        ):
            raise ConnectionLost(f"the session ended: {_one_line(error)}") from error
        message = error.diag.message_primary or _one_line(error)
        if error.diag.message_detail:
            message += f" ({_one_line(Exception(error.diag.message_detail))})"
        raise QueryError(message, sqlstate) from error
