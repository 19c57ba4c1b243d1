"""What the server says of a statement that it refuses: a fault of the pack, a missing grant, or neither."""

from __future__ import annotations

import re

from aps.check.asked import Asked
from aps.check.places import code, line
from aps.database import NotUnderstood, QueryError
from aps.model.checked import Finding, Severity
from aps.snapshot import explain, sql_name

AS_WHO_ACTS = ", or check as the role that acts"
_DENIED = "42501"
# Syntax and names, values, and what the server does not have: no other moment would give another answer.
_OF_THE_TEXT = ("42", "22", "0A")
_REMEDIES = {
    "42601": "mend the statement there",
    "42703": "name a column that is there",
    "42P01": "name a table that is there, with its schema, or run the check where the queue is",
    "42883": "cast one side, or call a function that is there",
    "42P18": "cast it: %(name)s::type",
    "42702": "write the table before the column",
    "3F000": "run the check where the queue is (--dsn, --schema)",
}


def finding(asked: Asked, error: QueryError, role: str) -> Finding:
    """One sentence and what to do; for a missing grant the statement that gives it."""
    query = asked.query
    at = _line(asked, error)
    if error.sqlstate == _DENIED:
        return _denied(asked, error, role)
    if error.sqlstate.startswith(_OF_THE_TEXT) or error.sqlstate == "3F000":
        remedy = _REMEDIES.get(error.sqlstate, "mend the statement")
        return Finding(query.file, at, "fault", f"{error} ({error.sqlstate})", remedy)
    told = f"could not be checked: {error} ({error.sqlstate})"
    return Finding(query.file, at, "undetermined", told, "check again")


def _line(asked: Asked, error: QueryError) -> int | None:
    """Where the server says, else where the parameter stands that it names."""
    if isinstance(error, NotUnderstood) and error.line is not None:
        return error.line
    named = re.search(r"%\(\w+\)s", str(error))
    return line(asked.query, named[0]) if named else None


def _denied(asked: Asked, error: QueryError, role: str) -> Finding:
    """Looking is impossible without its grants; acting may be another role's task."""
    said, _, grant = explain(error, asked.query.sql, role).partition(": GRANT ")
    function = re.match(r"permission denied for function (\S+)", said)
    if function:
        grant = f"EXECUTE ON FUNCTION {function[1]} TO {sql_name(role)}"
        said = str(error)
    elif asked.writes and grant.startswith("SELECT"):
        table, _, grantee = grant.partition(" ON ")[2].partition(" TO ")
        grant = f"{', '.join(_privileges(asked, table))} ON {table} TO {grantee}"
    remedy = f"GRANT {grant}" if grant else "ask the owner of the tables for the grant"
    if asked.writes:
        remedy += AS_WHO_ACTS
    severity: Severity = "warning" if asked.writes else "undetermined"
    return Finding(asked.query.file, None, severity, f"as {role}: {said}", remedy)


def _privileges(asked: Asked, table: str) -> list[str]:
    """What the statement does to the table, by its words: the server tells only that something is missing."""
    name = re.escape(table.rpartition(".")[2])
    words = " ".join(token.text for token in code(asked.query).code)
    doing = rf'\b(update|insert|delete)( into| from)?( only)?( [\w"]+ \.)? {name}(?![\w"])'
    return sorted({"SELECT", *(found[1].upper() for found in re.finditer(doing, words, re.I))})
