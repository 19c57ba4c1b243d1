"""Where a session goes, for another program."""

from __future__ import annotations

from collections.abc import Mapping

from psycopg.conninfo import make_conninfo

_PLACE = ("service", "host", "hostaddr", "port", "dbname", "user", "sslmode")


def place(parameters: Mapping[str, str]) -> str:
    """Where and as whom, as a connection string; no secret is in it."""
    return make_conninfo("", **{name: parameters[name] for name in _PLACE if name in parameters})
