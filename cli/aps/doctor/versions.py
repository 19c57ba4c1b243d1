"""Whether what was installed is what this aps knows."""

from __future__ import annotations

from aps import __version__, install, journal, statements
from aps.database import Database, QueryError
from aps.doctor.rights import unreadable
from aps.model.examination import Check
from aps.model.matrix import Matrix
from aps.model.report import Server

_REFERENCE = "aps.job"


def server(server: Server) -> Check:
    return Check("server", "ok", f"PostgreSQL {server.server_version}; 15 to 18 are supported")


def queue(database: Database, matrix: Matrix, role: str) -> Check:
    """The schema that `aps init` made; a queue that aps did not make has no version that it could know."""
    if matrix.table != _REFERENCE:
        asked = f" (for {', '.join(matrix.versions)})" if matrix.versions else ""
        return Check(
            "schema",
            "not_asked",
            f"aps did not make {matrix.table}; the matrix{asked} cannot ask its version",
        )
    return _version(database, "schema", "aps", install.QUEUE_VERSION, role, "aps init")


def journalled(database: Database, role: str) -> Check:
    return _version(database, "journal", "aps_journal", journal.VERSION, role, "aps init --journal")


def _version(database: Database, name: str, schema: str, known: int, role: str, init: str) -> Check:
    there = database.rows(statements.read("version"), {"schema": schema, "table": "version"})[0][
        "there"
    ]
    if there != "t":
        lost = "no action is possible" if name == "journal" else "its version is not known"
        return Check(name, "critical", f"there is no {schema}.version here: {lost}", (init,))
    sql = statements.read("versions").format(schema=statements.ident(schema))
    try:
        with database.savepoint():
            found = int(database.rows(sql, {"aps": "aps"})[0]["version"] or 0)
    except QueryError as error:
        return unreadable(name, error, f"{schema}.version", role)
    if found == known:
        return Check(name, "ok", f"{schema} has version {found}")
    older = found < known
    return Check(
        name,
        "critical",
        f"{schema} has version {found}, aps {__version__} knows {known}",
        (init if older else "use the aps that made it, or a newer one",),
    )


def pack(matrix: Matrix, pinned: str) -> Check:
    """The matrix is of a format that this aps reads, or it would not have been loaded. `pinned`: APS_PACK_SHA256."""
    told = f"{matrix.name}, matrix format 1, sha256 {matrix.sha256[:12]}"
    if not pinned:
        return Check("pack", "ok", f"{told}; not pinned (APS_PACK_SHA256={matrix.sha256} would)")
    if len(pinned) >= 8 and matrix.sha256.startswith(pinned):
        return Check("pack", "ok", f"{told}, as APS_PACK_SHA256 pins it")
    return Check(
        "pack",
        "critical",
        f"{told}, and APS_PACK_SHA256 pins another ({pinned[:12]}): every other command refuses (25)",
        (
            "name the pack that was pinned (--pack), or pin this one once you have read what changed",
        ),
    )
