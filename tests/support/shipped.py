"""The packs beside the reference queue, in a test's database; their worker statements as a worker sends them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from aps import packs
from tests.support import cli
from tests.support.database import Connection, Database

Answer = dict[str, Any]

_HOLDER = Path(__file__).with_name("holding.py")


def install(database: Database, pack: str, schema: str = "public") -> None:
    """Its schema.sql and roles.sql, as the owner of the database runs them; in that schema."""
    with psycopg.connect(database.dsn("postgres"), autocommit=True) as owner:
        named = sql.Identifier(schema)
        owner.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(named))
        owner.execute(
            sql.SQL("GRANT USAGE ON SCHEMA {} TO aps_read, aps_operate, aps_work").format(named)
        )
        owner.execute(sql.SQL("SET search_path = {}").format(named))
        for name in ("schema", "roles"):
            owner.execute((packs.find(pack) / "queries" / f"{name}.sql").read_bytes())


def statement(pack: str, name: str) -> bytes:
    """The worker statement as shipped."""
    return (packs.find(pack) / "queries" / "worker" / f"{name}.sql").read_bytes()


@dataclass(frozen=True)
class Worker:
    """A worker's session, and what it sends."""

    pack: str
    connection: Connection

    @property
    def pid(self) -> int:
        return self.connection.info.backend_pid

    def run(self, name: str, **bound: Any) -> Answer | None:
        """The one row that the statement returned, or None."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(statement(self.pack, name), bound).fetchall()
        assert len(rows) <= 1
        return rows[0] if rows else None


def worker(database: Database, pack: str, *, autocommit: bool = True) -> Worker:
    return Worker(pack, database.connect("aps_work", autocommit=autocommit))


@dataclass(frozen=True)
class Look:
    """`aps` as an operator types it, for one pack and database."""

    database: Database
    pack: str
    schema: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        where = ("--schema", self.schema) if self.schema else ()
        return ("--pack", self.pack, "--dsn", self.database.dsn(), *where)

    def aps(self, *words: str) -> cli.Result:
        return cli.call(*words, *self.words)

    def report(self, *words: str) -> dict[str, Any]:
        said = self.aps("inspect", *words, "--format", "json")
        assert said.stderr == "", said
        found: dict[str, Any] = json.loads(said.stdout)
        return found

    def found(self) -> dict[str, int]:
        """The jobs of each state that has some."""
        states = self.report()["states"]
        return {one["state"]: one["jobs"] for one in states if one["jobs"]}

    def job(self, job: str) -> dict[str, Any]:
        found: dict[str, Any] = self.report(job)["jobs"][0]
        return found


@contextmanager
def process(
    database: Database, pack: str, name: str, **bound: Any
) -> Iterator[tuple[subprocess.Popen[bytes], Answer]]:
    """A worker process that has sent this statement and now works, until it is killed; with its answer."""
    argv = [sys.executable, "-P", str(_HOLDER), database.dsn("aps_work")]
    text = statement(pack, name).decode()
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cli.environment()
    ) as started:
        assert started.stdin
        assert started.stdout
        started.stdin.write(json.dumps([text, bound]).encode() + b"\n")
        started.stdin.flush()
        answer = json.loads(started.stdout.readline())
        try:
            yield started, answer
        finally:
            started.kill()
