"""The trials of processes, clocks and crowds notice a queue, a worker or an engine that does not keep its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from aps.demo.binaries import Binaries
from tests.support import drilling
from tests.support.rehearsed import noticed, rehearsed

pytestmark = pytest.mark.one_server

_CLAIM: Final = "worker/claim.sql"
_HEARTBEAT: Final = "worker/heartbeat.sql"
_PUBLISH: Final = "worker/publish.sql"
_CLOCK: Final = (" AND h.clock < h.lease_until", "")
_EPOCH: Final = ("AND h.epoch = %(epoch)s AND", "AND")
_SENT: Final = ("clock_timestamp() AS clock FROM held", "now() AS clock FROM held")
_NOBODY: Final = "woken after the end, the job adopted by nobody"
_TIMES: Final = "times of the row that are not of the server's clock"
_LOCAL: Final = (
    "clock_timestamp() + %(lease)s::interval",
    "(localtimestamp + %(lease)s::interval) AT TIME ZONE 'UTC'",
)
# One lock after the other, in any order, and a little time between two of them.
_ALL_LOCKED: Final = """WHERE j.state = 'ready' AND j.job_id = (SELECT min(k.job_id) FROM (
       SELECT i.job_id FROM aps.job i WHERE i.state = 'ready' ORDER BY random() FOR NO KEY UPDATE) k
       WHERE pg_sleep(0.002) IS NOT NULL)"""
# Trial, file below queries/, what it says, what it says in the copy, the observation that is broken by it.
COPIES: Final = [
    (
        "worker-killed",
        "worker/adopt.sql",
        " AND j.lease_until <= (SELECT clock_timestamp())",
        "",
        "an adoption long before the end",
    ),
    (
        "worker-killed",
        "adoption.sql",
        "   AND j.lease_until <= %(clock)s\n",
        "",
        "its state long before the end",
    ),
    (
        "worker-killed",
        "worker/adopt.sql",
        "(SELECT clock_timestamp())",
        "(SELECT clock_timestamp() + interval '0.2 s')",
        "seconds from the end of the lease to the adoption",
    ),
    (
        "worker-woken-in-time",
        _PUBLISH,
        "h.clock < h.lease_until",
        "h.clock >= h.lease_until",
        "seconds from the end of its lease to that",
    ),
    ("worker-woken-too-late", _PUBLISH, *_CLOCK, f"{_NOBODY}, its publication: what it was told"),
    (
        "worker-woken-too-late",
        _HEARTBEAT,
        *_CLOCK,
        f"{_NOBODY}, its heartbeat: what of the row is another",
    ),
    (
        "statement-outwaits-lease",
        _PUBLISH,
        *_SENT,
        "publication, the row let go after the end: what the worker was told",
    ),
    (
        "statement-outwaits-lease",
        _HEARTBEAT,
        *_SENT,
        "heartbeat, the row let go after the end: what of the row is another",
    ),
    ("same-name", _HEARTBEAT, *_EPOCH, "heartbeat: what of the row is another"),
    ("same-name", _PUBLISH, *_EPOCH, "publication: what the first was told"),
    *(
        (
            "same-name",
            f"worker/{statement}.sql",
            *_EPOCH,
            "heartbeat: the answers to that name under the old epoch",
        )
        for statement in ("release", "fail")
    ),
    ("clock-off", _CLAIM, *_LOCAL, f"worker ahead, epoch 1: {_TIMES}"),
    ("clock-off", "worker/adopt.sql", *_LOCAL, f"worker ahead, epoch 2: {_TIMES}"),
    (
        "clock-off",
        _HEARTBEAT,
        "h.clock + %(lease)s::interval",
        "(localtimestamp + %(lease)s::interval) AT TIME ZONE 'UTC'",
        f"worker ahead, epoch 1: {_TIMES}",
    ),
    (
        "clock-off",
        _PUBLISH,
        "published_at = h.clock",
        "published_at = localtimestamp AT TIME ZONE 'UTC'",
        f"worker behind, epoch 1: {_TIMES}",
    ),
    (
        "heartbeats-late",
        _HEARTBEAT,
        *_CLOCK,
        "w1, heartbeat 4, judged after the end of the lease",
    ),
    ("forty-consumers", _CLAIM, "OF j SKIP LOCKED", "OF j", "consumers that were blocked"),
    (
        "forty-consumers",
        "ready.sql",
        "l.transactionid = j.xmax",
        "l.transactionid <> j.xmax",
        "jobs ready, of these locked",
    ),
    (
        "claimers-deadlocked",
        _PUBLISH,
        "h.worker = %(worker)s AND ",
        "",
        "job 1: a publication of each, under epoch 1",
    ),
    (
        "claims-without-deadlock",
        _CLAIM,
        "WHERE j.state = 'ready'",
        _ALL_LOCKED,
        "errors, by SQLSTATE",
    ),
]

_OWN_CLOCK: Final = """
import datetime
from aps.database import Database
Database.clock = lambda _: datetime.datetime.now(datetime.UTC)
"""
_SILENT: Final = "from aps.render import heading\nheading._clock = lambda _: []"
_GOES_ON: Final = """
from aps.demo import worker
worker.Worker._between_steps = lambda self, claim: self._tell(
    "heartbeat", claim, lease=self._lease, progress=True)
"""
_WAITS_LONG: Final = """
from aps.demo import worker
read = worker.read
worker.read = lambda name, queries: read(name, queries).replace("SKIP LOCKED", "")
"""
_DEAF: Final = """
from aps.demo import worker
told = worker.Worker._tell
worker.Worker._tell = lambda self, statement, claim, **more: (
    told(self, statement, claim, **more), "renewed" if statement == "heartbeat" else "published")[1]
"""
# Trial, what is done to the engine or the worker, the observation that is broken by it.
CODE: Final = [
    ("clock-off", _OWN_CLOCK, "operator ahead: the states"),
    ("clock-off", _SILENT, "operator behind: the screen of aps inspect"),
    ("heartbeats-late", _GOES_ON, "w1: how it ended"),
    ("heartbeats-late", _DEAF, "w1, heartbeat 4, judged after the end of the lease"),
    ("worker-woken-too-late", _DEAF, f"{_NOBODY}, its publication: what it was told"),
    ("forty-consumers", _WAITS_LONG, "consumers that were blocked"),
]


@pytest.mark.parametrize(
    ("trial", "file", "old", "new", "observation"),
    COPIES,
    ids=[f"{one[0]}-{Path(one[1]).stem}-{number}" for number, one in enumerate(COPIES)],
)
def test_a_broken_copy_of_the_queue_breaks_the_trial(
    binaries: Binaries, tmp_path: Path, trial: str, file: str, old: str, new: str, observation: str
) -> None:
    pack = drilling.broken(tmp_path, file, old, new)
    noticed(rehearsed(binaries, trial, pack), observation)


@pytest.mark.parametrize(
    ("trial", "before", "observation"), CODE, ids=[f"{one[0]}-{one[2]}" for one in CODE]
)
def test_an_engine_or_a_worker_that_breaks_its_order_breaks_the_trial(
    binaries: Binaries, trial: str, before: str, observation: str
) -> None:
    noticed(rehearsed(binaries, trial, before=before), observation)
