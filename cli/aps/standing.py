"""Whether an action may be recorded here: no journal, no action."""

from __future__ import annotations

from aps import journal, snapshot, statements
from aps.database import Database, QueryError
from aps.errors import Refused


def check(database: Database, role: str) -> None:
    """Inside a look. Raises Refused naming what is missing and what gives it."""
    try:
        with database.savepoint():
            row = database.rows(statements.read("standing"), {"aps": "aps"})[0]
    except QueryError as error:
        if error.sqlstate in ("3F000", "42P01"):
            raise Refused(
                "no journal in this database, so nothing is done: run `aps init` (or `aps init --journal`)"
            ) from error
        raise Refused(
            f"the journal cannot be read as {role}: {error}{_grant(error, role)}"
        ) from error
    if row["may_write"] != "t":
        raise Refused(
            f"{role} may not write the journal: GRANT aps_operate TO {snapshot.sql_name(role)}"
        )
    if int(row["journal_version"] or 0) != journal.VERSION:
        raise Refused(
            f"the journal has version {row['journal_version']}, this aps writes {journal.VERSION}: "
            "run `aps init --journal`"
        )


def _grant(error: QueryError, role: str) -> str:
    denied = error.sqlstate == "42501"
    return f": GRANT aps_operate TO {snapshot.sql_name(role)}" if denied else ""
