"""PostgreSQL, the only module that knows psycopg. Everything leaves the server as text and is read as text here.

Statements go by the extended protocol with a bound parameter, unnamed: two statements in one text are refused, and a
transaction pooler works. Settings are local to a transaction; no state stays in the session.
"""

from __future__ import annotations

from aps.database.connecting import connect, without_secrets
from aps.database.describing import Column, Described, NotUnderstood, numbered
from aps.database.failures import ConnectionLost, QueryError
from aps.database.limits import Limits
from aps.database.session import Database, Parameters, Row, timestamp

__all__ = [
    "Column",
    "ConnectionLost",
    "Database",
    "Described",
    "Limits",
    "NotUnderstood",
    "Parameters",
    "QueryError",
    "Row",
    "connect",
    "numbered",
    "timestamp",
    "without_secrets",
]
