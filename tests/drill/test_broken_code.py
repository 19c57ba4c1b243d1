"""Each rehearsal of the drill notices an engine, a worker or a front that leaves out a step of its order."""

from __future__ import annotations

from typing import Final

import pytest

from aps.demo.binaries import Binaries
from tests.support.rehearsed import noticed, rehearsed

_AUTOCOMMIT: Final = """
from aps.database import Database
Database.begin_write = lambda self: setattr(self._connection, "autocommit", True)
"""
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
_DEAF: Final = """
from aps.demo import worker
told = worker.Worker._tell
worker.Worker._tell = lambda self, statement, claim, **more: (
    told(self, statement, claim, **more), "renewed" if statement == "heartbeat" else "published")[1]
"""
_HALF: Final = """
from aps.demo import worker
def half(self, claim, work):
    try:
        return whole(self, claim, work)
    except OSError:
        return "sha256:" + "0" * 64
whole, worker.Worker._write = worker.Worker._write, half
"""
_MAKES: Final = """
from aps.demo import worker
import os
whole = worker._new_file
def making(store, name):
    (store / name).parent.mkdir(parents=True, exist_ok=True)
    return whole(store, name)
worker._new_file = making
"""
_BELIEVES: Final = """
from aps.demo import worker
def told(self, statement, claim, **more):
    fence = dict(job_id=claim.job_id, worker=self._name, epoch=claim.epoch)
    try:
        return self._call(statement, **fence, **more)[0]["answer"]
    except worker.DatabaseError:
        return "published"
worker.Worker._tell = told
"""
_NO_MOUNTS: Final = """
from aps.drill.trials import disks
def refused():
    raise OSError(1, "not permitted")
disks._mounts_of_its_own = refused
"""
_OWNS_ALL: Final = "from aps import transfer\ntransfer.Into.owns = lambda *_: True"
_BOTH_TOOK_IT: Final = """
from aps.store import quarantine
leave = quarantine.leave
quarantine.leave = lambda *given: leave(*given) or True
"""
_LOSES_IT: Final = """
import os
from aps.store import quarantine
quarantine.link = lambda move, old, folder: None
quarantine.leave = lambda move, old, folder: not os.unlink(old.leaf, dir_fd=old.folder)
"""
_ASKS_NOBODY: Final = "from aps import transfer\ntransfer.Into.asked = lambda *_: {}"
# Rehearsal, what is done to the engine, the worker or the front in its process, the observation that is broken by it.
CODE: Final = [
    ("one-transaction", _AUTOCOMMIT, "the row while it was not committed"),
    ("clock-off", _OWN_CLOCK, "operator ahead: the states"),
    ("clock-off", _SILENT, "operator behind: the screen of aps inspect"),
    ("heartbeats-late", _GOES_ON, "w1: how it ended"),
    ("heartbeats-late", _DEAF, "w1, heartbeat 4, judged after the end of the lease"),
    (
        "worker-woken-too-late",
        _DEAF,
        "woken after the end, the job adopted by nobody, its publication: what it was told",
    ),
    ("storage-full", _HALF, "the results"),
    ("storage-full", f"{_NO_MOUNTS}{_HALF}", "the results"),
    ("storage-read-only", _HALF, "the results"),
    ("storage-gone", _MAKES, "whether a worker made the store anew"),
    ("publish-backend-killed", _BELIEVES, "its file safe, the statement not sent: the result"),
    (
        "cleanup-overtaken",
        _OWNS_ALL,
        "files with other names than those in quarantine that the journal has",
    ),
    ("cleanup-overtaken", _LOSES_IT, "steps at which the file had no name"),
    ("cleanup-side-by-side", _LOSES_IT, "files that are not back with the same bytes and one name"),
    ("cleanup-side-by-side", _BOTH_TOOK_IT, "move linked: what the two were told"),
    ("cleanup-needed-again", _ASKS_NOBODY, "moved: the file"),
    ("request-commit-lost", _AUTOCOMMIT, "requests that are there"),
]


@pytest.mark.parametrize(
    ("rehearsal", "before", "observation"), CODE, ids=[f"{one[0]}-{one[2]}" for one in CODE]
)
def test_code_that_leaves_out_a_step_breaks_the_rehearsal(
    binaries: Binaries, rehearsal: str, before: str, observation: str
) -> None:
    noticed(rehearsed(binaries, rehearsal, before=before), observation)


@pytest.mark.parametrize("trial", ["storage-full", "storage-read-only"])
def test_where_no_mount_can_be_made_a_limit_does_and_is_told(
    binaries: Binaries, trial: str
) -> None:
    rehearsal = rehearsed(binaries, trial, before=_NO_MOUNTS)
    assert (rehearsal["verdict"], rehearsal["error"]) == ("holds", None)
    first = rehearsal["observations"][0]
    assert first["what"] == "by what the storage of the worker failed"
    assert first["observed"].endswith("no mount could be made: not permitted")
