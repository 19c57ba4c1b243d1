"""Rows beside a rehearsal: held by somebody, waited for, and whether they fit together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aps.drill.ground import Ground, text
from aps.drill.waiting import until

# What a session waits for, by the name that the server has for it.
ROW: Final = "transactionid"


def waits(ground: Ground, application: str, event: str) -> None:
    """Return once a session of that name waits for that."""
    bound = {"application": application, "event": event}
    with ground.session("postgres", "watch") as watch:
        until(
            lambda: bool(ground.ask(watch, "waiting", **bound)),
            f"{application} to wait ({event})",
        )


@contextmanager
def row_held(ground: Ground, job: int) -> Iterator[None]:
    """Somebody's transaction holds the row of the job."""
    with ground.session("postgres", "holder") as session:
        session.begin_write()
        session.rows(text("lock"), {"job_id": job})
        yield
        # The server frees the row before it answers; of a session that is closed it may do so a little later.
        session.rollback()


def unfitting(ground: Ground) -> list[str]:
    """What does not fit together in the rows and the journal, in words."""
    with ground.session("postgres", "look") as session:
        rows = ground.ask(session, "unfitting")
    return [f"job {row['job_id']}: {row['fault']}" for row in rows]
