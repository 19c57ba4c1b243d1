"""The worker's statements, each without one column or lock of its fence, or of what it answers by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from aps.drill.explore.program import Program
from aps.drill.explore.programs import callers, outwaited, workers
from aps.drill.explore.scene import Scene
from aps.drill.mutants.mutation import Mutation, Stale

Programs = tuple[Program, ...]

_OWNERS: Final = (workers.IMPOSTOR, workers.NAMESAKE, workers.CANCELLED)
_LOCK: Final = " FOR NO KEY UPDATE"
_SKIPPING: Final = " FOR NO KEY UPDATE OF j SKIP LOCKED"
_LAST: Final = "     AND j.epoch < 9223372036854775807\n"


def mutations() -> Iterator[Mutation]:
    """All of them, statement by statement."""
    for statement in ("heartbeat", "publish", "fail", "release"):
        yield from _leased(statement)
    yield from _confirm_input()
    yield from _cancel()
    yield from _claim()
    yield from _adopt()
    yield from _accept()
    yield from _repeated()


def _altered(statement: str, old: str, new: str) -> Callable[[Scene], AbstractContextManager[None]]:
    @contextmanager
    def without(scene: Scene) -> Iterator[None]:
        text = scene.statement(statement)
        if old not in text:
            raise Stale(f"{statement}.sql has no {old.strip()!r} that could be removed")
        scene.altered[statement] = text.replace(old, new)
        try:
            yield
        finally:
            del scene.altered[statement]

    return without


def _without(
    statement: str, removed: str, old: str, new: str, *programs: Program, redundant: str = ""
) -> Mutation:
    return Mutation(statement, removed, programs, _altered(statement, old, new), redundant)


def _leased(statement: str) -> Iterator[Mutation]:
    """The four statements that need the lease have one fence."""
    late = outwaited.LATE[statement]
    yield _without(statement, "state", "h.state = 'running' AND ", "", *_OWNERS)
    yield _without(statement, "worker", "h.worker = %(worker)s AND ", "", *_OWNERS)
    yield _without(statement, "epoch", " AND h.epoch = %(epoch)s", "", *_OWNERS)
    yield _without(statement, "lease", " AND h.clock < h.lease_until", "", workers.TIMELY)
    row = "j.job_id = h.job_id\n     AND "
    yield _without(statement, "job", row, "", workers.TIMELY)
    yield _without(statement, "lock", _LOCK, "", workers.OPEN_CANCELLATION)
    clock = "clock_timestamp() AS clock"
    yield _without(statement, "clock after the lock", clock, "now() AS clock", late)


def _confirm_input() -> Iterator[Mutation]:
    name, programs = "confirm_input", (callers.INPUTS,)
    yield _without(name, "state", "h.state = 'materializing' AND ", "", *programs)
    yield _without(name, "digest", " AND h.input_digest = %(digest)s\n  RET", "\n  RET", *programs)
    yield _without(name, "job", "j.job_id = h.job_id AND ", "", *programs)
    yield _without(name, "lock", _LOCK, "", *programs)


def _cancel() -> Iterator[Mutation]:
    finished = "h.finished_at IS NULL AND "
    yield _without("cancel", "unfinished", finished, "", workers.CANCELLED)
    epoch = " AND h.epoch = %(epoch)s\n  RET"
    yield _without("cancel", "epoch", epoch, "\n  RET", workers.OPEN_ADOPTION)
    yield _without("cancel", "job", "j.job_id = h.job_id AND ", "", workers.CANCELLED)
    yield _without("cancel", "lock", _LOCK, "", workers.OPEN_CLAIMS)
    taken = " WHERE h.worker IS NOT NULL"
    yield _without("cancel", "attempt of a worker only", taken, "", callers.INPUTS)


def _claim() -> Iterator[Mutation]:
    state = "j.state = 'ready'\n"
    yield _without("claim", "state", state, "true\n", workers.THREE_CLAIMERS, workers.CANCELLED)
    yield _without("claim", "end of the epochs", _LAST, "", workers.INCONSISTENT)
    above = "a.epoch > j.epoch OR "
    yield _without("claim", "attempt above its epoch", above, "", workers.INCONSISTENT)
    yield _without(
        "claim",
        "open attempt",
        " OR a.ended_at IS NULL",
        "",
        workers.WAYS_TO_END,
        callers.INPUTS,
        redundant="no statement leaves a ready job with an open attempt (an invariant of every interleaving): "
        "it keeps workers off rows that were written by hand",
    )
    yield _without("claim", "lock", _SKIPPING, "", workers.OPEN_CLAIMS)
    yield _without("claim", "job", "WHERE j.job_id = c.job_id", "", workers.THREE_CLAIMERS)


def _adopt() -> Iterator[Mutation]:
    state = "j.state = 'running' AND "
    yield _without(
        "adopt",
        "state",
        state,
        "",
        workers.CANCELLED_LEASED,
        workers.NAMESAKE,
        redundant="an attempt is open only where its job runs (an invariant of every interleaving), and the attempt at "
        "its epoch must be open: the state serves the index",
    )
    lease = " AND j.lease_until <= (SELECT clock_timestamp())"
    yield _without("adopt", "lease", lease, "", workers.THREE_OWNERS)
    yield _without("adopt", "end of the epochs", _LAST, "", workers.INCONSISTENT)
    attempts = (
        "(j.epoch, j.epoch) = (SELECT min(a.epoch) FILTER (WHERE a.ended_at IS NULL), max(a.epoch)"
    )
    alone = "(j.epoch, j.epoch) = (SELECT j.epoch, j.epoch"
    yield _without("adopt", "attempt above its epoch", attempts, alone, workers.INCONSISTENT)
    limit = "%(abandon_limit)s > (SELECT"
    yield _without("adopt", "limit", limit, "0 <= (SELECT", workers.FOUR_LOSERS)
    yield _without("adopt", "lock", _SKIPPING, "", workers.OPEN_ADOPTION)
    yield _without("adopt", "job", "WHERE j.job_id = c.job_id", "", workers.THREE_OWNERS)


def _accept() -> Iterator[Mutation]:
    for column, old in (
        ("kind", "kind = %(kind)s AND "),
        ("input_name", "input_name IS NOT DISTINCT FROM %(input_name)s::text\n"),
        ("input_digest", "AND input_digest IS NOT DISTINCT FROM %(input_digest)s::text"),
    ):
        new = "true\n" if column == "input_name" else ""
        yield _without("accept", column, old, new, callers.ONE_KEY)


def _repeated() -> Iterator[Mutation]:
    """What the answer `repeated` is told by: a caller takes it for done."""
    epoch, digest = " AND h.published_epoch = %(epoch)s", " AND h.published_digest = %(digest)s"
    yield _without("publish", "epoch of the answer", epoch, "", workers.NAMESAKE)
    yield _without("publish", "digest of the answer", digest, "", workers.IMPOSTOR)
    yield _without(
        "publish",
        "state of the answer",
        "h.state = 'complete' AND ",
        "",
        *_OWNERS,
        redundant="only a complete job has a publication (constraint publication_where_complete)",
    )
    state = "h.state = 'cancelled' AND "
    yield _without("cancel", "state of the answer", state, "", workers.CANCELLED)
    epoch = " AND h.epoch = %(epoch)s THEN"
    yield _without("cancel", "epoch of the answer", epoch, " THEN", workers.CANCELLED)
    ready = "h.ready_at IS NOT NULL AND "
    yield _without("confirm_input", "state of the answer", ready, "", callers.INPUTS)
    digest = " AND h.input_digest = %(digest)s THEN"
    yield _without("confirm_input", "digest of the answer", digest, " THEN", callers.INPUTS)
