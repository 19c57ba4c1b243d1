"""What may become of an operator's session: ended by an administrator, its server crashed."""

from __future__ import annotations

from tests.support.database import Database

_TERMINATE = (
    b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    b" WHERE application_name LIKE 'aps/reclaim/%%' AND datname = %s"
)


def terminate(database: Database) -> None:
    """End every session that applies something here; its last words come before its end."""
    ended = database.execute(_TERMINATE, [database.name])
    assert ended
    assert all(done for (done,) in ended)
