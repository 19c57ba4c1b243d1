"""From what a person typed to the keys of jobs, as the server writes them."""

from __future__ import annotations

from collections.abc import Sequence

from aps import statements
from aps.database import QueryError
from aps.errors import NoSuchJob, Refused
from aps.model import key
from aps.snapshot import Key, Snapshot, explain


def named(snapshot: Snapshot, jobs: Sequence[str]) -> list[Key]:
    """The keys of these jobs, each once. Raises NoSuchJob for the first without a row, or Refused."""
    found: dict[Key, None] = {}
    for job in dict.fromkeys(jobs):
        values = key.parse(job, len(snapshot.types))
        written = values and _written(snapshot, values)
        if not written:
            raise NoSuchJob(
                f"no job {job!r} in {snapshot.matrix.table} of {snapshot.server.name}; "
                f"jobs are named by {_named_by(snapshot)}"
            )
        found[written] = None
    return list(found)


def _named_by(snapshot: Snapshot) -> str:
    """The columns and their types; of a composite key as it is written, `queue/id`."""
    columns = ", ".join(f"{column} ({kind})" for column, kind in snapshot.types.items())
    return columns if len(snapshot.types) == 1 else f"{'/'.join(snapshot.types)}: {columns}"


def _written(snapshot: Snapshot, values: Key) -> Key | None:
    """The key as the server writes it, or None. As typed where no row may be read: its states tell why."""
    sql = statements.keys(snapshot.matrix.table, snapshot.types)
    try:
        with snapshot.database.savepoint():
            rows = snapshot.database.rows(sql, snapshot.keys([values]))
    except QueryError as error:
        # Text that is no value of the key's type: 22P02, or 22003 out of its range.
        if error.sqlstate.startswith("22"):
            return None
        # No grant, or somebody holds the table.
        if error.sqlstate in ("42501", "55P03") and snapshot.lifecycle_unread:
            return values
        raise Refused(
            f"{snapshot.matrix.table} cannot be read: {explain(error, sql, snapshot.server.role)}"
        ) from error
    return tuple(str(rows[0][column]) for column in snapshot.types) if rows else None
