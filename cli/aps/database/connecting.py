"""Open a session, by a connection string or by what libpq knows itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import psycopg

from aps import conninfo
from aps.database.failures import one_line
from aps.database.limits import Limits
from aps.database.session import Database
from aps.errors import DatabaseError, Usage


def connect(
    dsn: str | None,
    *,
    application: str,
    limits: Limits | None = None,
    search_path: str = "public",
    show: Callable[[str], None] | None = None,
    kept: bool = False,
) -> Database:
    """Open a session; without a dsn libpq's own variables and service file decide. Raises DatabaseError, Usage.

    `kept`: it outlives its use as a context manager, until `close`, and its statements stay planned at the server.
    For a private server only: a pooler would not keep them apart.
    """
    given = _read(dsn or "")
    if "PGCONNECT_TIMEOUT" not in os.environ:
        given.setdefault("connect_timeout", 10)
    given |= {"application_name": application, "client_encoding": "UTF8"}
    try:
        # Named prepared statements collide behind a transaction pooler.
        connection = psycopg.connect(
            psycopg.conninfo.make_conninfo("", **given), prepare_threshold=0 if kept else None
        )
    except psycopg.Error as error:
        raise DatabaseError(f"cannot connect: {one_line(error)}") from error
    return Database(connection, limits or Limits(), search_path, show, kept)


# Whatever proves who one is; everything else says where and as whom, and may be repeated.
_SECRET = re.compile(r"password|secret|scram_.*_key")


def without_secrets(dsn: str) -> str:
    """The connection string as it may be printed, as key=value words. Raises Usage."""
    given = {name: value for name, value in _read(dsn).items() if not _SECRET.search(name)}
    return psycopg.conninfo.make_conninfo("", **given)


def _read(dsn: str) -> dict[str, Any]:
    """The words of a connection string. Raises Usage, without repeating what may be a secret."""
    if wrong := conninfo.fault(dsn):
        raise Usage(wrong)
    try:
        return psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        raise Usage(conninfo.unreadable(dsn, one_line(error))) from None
    except UnicodeError:
        raise Usage(conninfo.unreadable(dsn, "it is not UTF-8")) from None
