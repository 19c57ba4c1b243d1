"""One session: transactions with their settings, statements, and what the server is."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import psycopg

from aps import statements
from aps.database import describing
from aps.database.describing import Described
from aps.database.failures import ConnectionLost, translated
from aps.database.limits import Limits
from aps.database.place import place
from aps.errors import DatabaseError
from aps.model.report import Identity, Lag, Server

Row = dict[str, str | None]
Parameters = Mapping[str, Any]

OLDEST_SERVER, NEWEST_SERVER = 150000, 190000


class Database:
    """One session. Use `connect`; use as a context manager, which closes it."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        limits: Limits,
        search_path: str,
        show: Callable[[str], None] | None = None,
        kept: bool = False,
    ) -> None:
        self._connection = connection
        self._kept = kept
        self._limits = limits
        self._search_path = search_path
        self._show = show
        self.host = connection.info.host or "local socket"
        self.conninfo = place(connection.info.get_parameters())

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._kept:
            self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def pid(self) -> int:
        return self._connection.info.backend_pid

    @contextmanager
    def look(self) -> Iterator[None]:
        """A read-only transaction on one snapshot; nothing of it is left at its end."""
        self._begin(psycopg.IsolationLevel.REPEATABLE_READ, read_only=True)
        try:
            yield
            if self._kept:
                # The driver forgets at a rollback what is planned.
                self.commit()
        finally:
            self.rollback()

    def begin_write(self) -> None:
        """A transaction that may write, READ COMMITTED; it ends by `commit` or `rollback`."""
        self._begin(psycopg.IsolationLevel.READ_COMMITTED, read_only=False)

    def _begin(self, isolation: psycopg.IsolationLevel, *, read_only: bool) -> None:
        with translated():
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

    def hurry(self) -> None:
        """For the rest of this transaction no lock is waited for: one wait told that somebody holds one."""
        self.rows(statements.read("hurry"), {"lock_timeout": 1})

    @property
    def longest(self) -> float:
        """How long a statement may take, in seconds."""
        return self._limits.statement / 1000

    def hasten(self, seconds: float) -> None:
        """For the rest of this transaction a statement may take so long, and never longer than `longest`."""
        longest = max(1, min(round(seconds * 1000), self._limits.statement))
        self.rows(statements.read("hasten"), {"statement_timeout": longest})

    def serially(self) -> None:
        """For the rest of this transaction no statement is shared out among workers."""
        self.rows(statements.read("serial"), {"workers": 0})

    def commit(self) -> None:
        """Raises ConnectionLost where the answer did not come, QueryError where the server refused."""
        with translated():
            self._connection.commit()

    def abandon(self) -> None:
        """Cut the session, also from a signal handler: whoever waits for its answer has ConnectionLost at once."""
        with (
            suppress(OSError, psycopg.Error),
            socket.socket(fileno=os.dup(self._connection.fileno())) as ours,
        ):
            ours.shutdown(socket.SHUT_RDWR)

    def rollback(self) -> None:
        """Never raises: a session that is gone has rolled back, or settles otherwise."""
        try:
            self._connection.rollback()
        except psycopg.Error:
            self._connection.close()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """What fails inside is undone, and the transaction goes on."""
        with translated(), self._connection.transaction():
            yield

    @contextmanager
    def _sent(self, sql: str) -> Iterator[psycopg.Cursor[Any]]:
        """A cursor for that statement, which is shown before it runs."""
        if self._show:
            self._show(sql)
        with translated(), self._connection.cursor() as cursor:
            yield cursor

    def rows(self, sql: str, parameters: Parameters | None) -> list[Row]:
        """All rows of one statement, each value the server's own text for it; None binds nothing, not even `%`."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode(), parameters)
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
        with translated():
            self._connection.autocommit = True
        try:
            return self.rows(sql, parameters)
        finally:
            if not self._connection.closed:
                self._connection.autocommit = False

    def columns(self, sql: str, parameters: Parameters) -> tuple[str, ...]:
        """The names of the columns that a statement returns."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode(), parameters)
            return tuple(column.name for column in cursor.description or ())

    def described(self, sql: str, parameters: Parameters) -> Described:
        """What the server makes of one statement, which is not run. Raises NotUnderstood."""
        if self._show:
            self._show(sql)
        return describing.describe(self._connection, sql, parameters)

    def run(self, sql: str) -> None:
        """A script of the project's own (a schema), several statements at once, nothing bound."""
        with self._sent(sql) as cursor:
            cursor.execute(sql.encode(), prepare=False)

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
            lag=_lag(row) if row["in_recovery"] == "t" else None,
        )


def _lag(row: Row) -> Lag:
    streams = None if row["streams"] is None else row["streams"] == "t"
    behind = None if row["lag_bytes"] is None else int(row["lag_bytes"])
    # Positions that agree say nothing where nothing comes any more; replayed past received: it reads an archive.
    known = behind is not None and (behind > 0 or (behind == 0 and streams is True))
    replayed = row["replayed_seconds"]
    return Lag(
        bytes=behind if known else None,
        streams=streams,
        replayed_seconds=None if replayed is None else max(0.0, float(replayed)),
    )


def timestamp(text: str | None) -> datetime:
    """A timestamptz as the server wrote it under DateStyle ISO."""
    if text is None:
        raise ValueError("no time")
    # Without minutes (+00) Python before 3.11 could not; with ISO output the zone is always there.
    return datetime.fromisoformat(text)


def _text(value: bytes | None) -> str | None:
    return None if value is None else bytes(value).decode("utf-8", errors="backslashreplace")
