"""A database a test: cloned from a template, dropped afterwards with whoever is still in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.abc import Params, QueryNoTemplate
from psycopg.rows import TupleRow

from aps import database as sessions
from aps import install
from aps.demo import cluster as clusters
from aps.demo.binaries import Binaries
from tests.support import memory

Connection = psycopg.Connection[TupleRow]

_TEMPLATE = "aps_template"
_ROLES = ("aps_read", "aps_operate", "aps_work")
# A test counts what its own statements write and read: no vacuum or analyze beside them.
# The log of a run is kept small: it may lie in memory.
_SETTINGS = {"autovacuum": "off", "max_wal_size": "256MB"}


class Database:
    """One test's database. The default role is the operator's, never the superuser."""

    def __init__(self, cluster: clusters.Cluster, name: str) -> None:
        self.name = name
        self.cluster = cluster
        self._opened: list[Connection] = []

    def dsn(self, role: str = "aps_operate") -> str:
        return self.cluster.dsn(self.name, role)

    def connect(self, role: str = "aps_operate", *, autocommit: bool = True) -> Connection:
        """A new connection, closed at the end of the test at the latest."""
        connection = psycopg.connect(self.dsn(role), autocommit=autocommit)
        self._opened.append(connection)
        return connection

    def execute(
        self, query: QueryNoTemplate, params: Params | None = None
    ) -> list[tuple[Any, ...]]:
        """Run one statement as the superuser; its rows, if it gives any."""
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            cursor = connection.execute(query, params)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        for connection in self._opened:
            connection.close()


class Server:
    """A server with the template from which each test's database is cloned."""

    def __init__(self, binaries: Binaries) -> None:
        self.binaries = binaries
        folder = memory.new_folder()
        self.cluster = clusters.start(folder, binaries, settings=_SETTINGS, keep=False)
        self._numbers = itertools.count(1)
        try:
            self._make_template()
        except BaseException:
            self.cluster.stop()
            raise

    def stop(self) -> None:
        self.cluster.stop()

    @contextmanager
    def database(self) -> Iterator[Database]:
        name = f"test_{next(self._numbers)}"
        self._admin("CREATE DATABASE {} TEMPLATE {}", name, _TEMPLATE)
        database = Database(self.cluster, name)
        try:
            yield database
        finally:
            database.close()
            self._admin("DROP DATABASE {} WITH (FORCE)", name)

    def _make_template(self) -> None:
        self._admin("CREATE DATABASE {}", _TEMPLATE)
        with sessions.connect(self.cluster.dsn(_TEMPLATE), application="aps/init") as database:
            install.queue(database)
        for role in _ROLES:
            self._admin("ALTER ROLE {} LOGIN", role)

    def _admin(self, statement: Any, *names: str) -> None:
        query = sql.SQL(statement).format(*map(sql.Identifier, names))
        with psycopg.connect(self.cluster.dsn(), autocommit=True) as connection:
            connection.execute(query)
