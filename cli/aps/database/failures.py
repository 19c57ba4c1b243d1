"""What the driver raises, as errors of aps: a lost session, or one failed statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from aps.errors import ApsError, DatabaseError


class QueryError(ApsError):
    """One statement failed and the session lives on. `sqlstate` is PostgreSQL's five characters."""

    exit_code = DatabaseError.exit_code

    def __init__(self, message: str, sqlstate: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class ConnectionLost(DatabaseError):
    """The session ended; what a COMMIT in flight did is not known here."""


def one_line(error: Exception) -> str:
    """The driver's words, whatever their lines, as one."""
    lines = [line.strip(" \t-") for line in str(error).splitlines()]
    return re.sub(r"\s+", " ", "; ".join(line for line in lines if line))


@contextmanager
def translated() -> Iterator[None]:
    """Driver errors become ours: a lost session, or one failed statement."""
    try:
        yield
    except UnicodeEncodeError as error:
        # What PostgreSQL would say of it: character_not_in_repertoire.
        raise QueryError("a value is not UTF-8 text", "22021") from error
    except psycopg.Error as error:
        sqlstate = error.sqlstate or ""
        lost = (
            error.__class__ in (psycopg.OperationalError, psycopg.InterfaceError) and not sqlstate
        )
        # Whatever is FATAL ends the session: a recovery conflict inside a savepoint is, and has no class of its own.
        fatal = error.diag.severity_nonlocalized in ("FATAL", "PANIC")
        if (
            lost
            or fatal
            or sqlstate.startswith("08")
            or sqlstate in {"57P01", "57P02", "57P03", "57P05", "25P03"}
        ):
            raise ConnectionLost(f"the session ended: {one_line(error)}") from error
        message = one_line(Exception(error.diag.message_primary or error))
        if error.diag.message_detail:
            message += f" ({one_line(Exception(error.diag.message_detail))})"
        # A trigger may raise in the name of a constraint without saying it.
        if error.diag.constraint_name and error.diag.constraint_name not in message:
            message += f" (constraint {error.diag.constraint_name})"
        if sqlstate == "57014" and "timeout" in message:
            message += ", which --timeout sets"
        raise QueryError(message, sqlstate) from error
