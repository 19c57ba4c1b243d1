"""Rows of the reference queue written past its statements, by the superuser: right ones to start from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import sql
from psycopg.abc import QueryNoTemplate

from tests.support.database import Connection, Database
from tests.support.queue import DIGEST

Row = dict[str, Any]

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

READY: Row = {
    "job_id": 1,
    "request_key": "r1",
    "kind": "export",
    "state": "ready",
    "ready_at": NOW,
}
MATERIALIZING: Row = READY | {
    "state": "materializing",
    "input_name": "in/1.csv",
    "input_digest": DIGEST,
    "ready_at": None,
}
OWNED: Row = {"epoch": 1, "worker": "w1", "lease_until": NOW, "candidate": "1/1-a"}
RUNNING: Row = READY | OWNED | {"state": "running"}
PUBLISHED: Row = {
    "epoch": 1,
    "published_name": "1/1-a",
    "published_digest": DIGEST,
    "published_epoch": 1,
    "published_at": NOW,
}
COMPLETE: Row = READY | PUBLISHED | {"state": "complete", "finished_at": NOW}
CANCELLED: Row = READY | OWNED | {"state": "cancelled", "finished_at": NOW, "reason": "not needed"}
FAILED: Row = READY | {"state": "failed", "finished_at": NOW, "reason": "it broke"}
JOBS = (MATERIALIZING, READY, RUNNING, COMPLETE, CANCELLED, FAILED)

ATTEMPT: Row = {"job_id": 1, "epoch": 1, "worker": "w1", "candidate": "1/1-a"}
EVENT: Row = {"job_id": 1, "kind": "claimed", "epoch": 1, "worker": "w1"}


def insertion(table: str, row: Row) -> sql.Composed:
    """Takes the row as its parameters; ids are kept as they are."""
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    values = sql.SQL(", ").join(map(sql.Placeholder, row))
    statement = sql.SQL("INSERT INTO aps.{} ({}) OVERRIDING SYSTEM VALUE VALUES ({})")
    return statement.format(sql.Identifier(table), names, values)


def insert(database: Database, table: str, row: Row) -> None:
    database.execute(insertion(table, row), row)


def refused_by(connection: Connection, statement: QueryNoTemplate, row: Row | None = None) -> str:
    """The constraint that refuses this statement; empty where none does. Nothing stays."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement, row)
    except psycopg.errors.IntegrityError as error:
        return error.diag.constraint_name or ""
    return ""
