"""The trials of crashes and of storage notice a queue, or a worker, that does not keep its promise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import aps
from aps import packs
from aps.demo.binaries import Binaries
from aps.drill.programme import SCRIPTS
from tests.support import cli, drilling

pytestmark = pytest.mark.one_server

_PACKAGES: Final = str(Path(aps.__file__).parents[1])
_UNLOGGED: Final = ("schema.sql", "CREATE TABLE aps.event (", "CREATE UNLOGGED TABLE aps.event (")
# Trial, file below queries/, what it says, what it says in the copy, the observation that is broken by it.
COPIES: Final = [
    (
        "publish-server-crashed",
        "worker/publish.sql",
        "THEN 'repeated'",
        "THEN 'rejected'",
        "committed, the answer not sent: what the worker was told",
    ),
    (
        "publish-backend-killed",
        *_UNLOGGED,
        "its file safe, the statement not sent: what does not fit together",
    ),
    ("reclaim-server-crashed", *_UNLOGGED, "begun: what does not fit together"),
    (
        "reclaim-backend-killed",
        "adoption.reclaim.sql",
        "'reclaimed'",
        "'progressed'",
        "acted: what the operator was told",
    ),
    (
        "reclaim-crashed-twice",
        "adoption.reclaim.sql",
        "epoch = epoch + 1",
        "epoch = epoch",
        "acted, applied once more: what the operator was told",
    ),
    (
        "reclaim-server-away",
        *_UNLOGGED,
        "its COMMIT done, not answered, settled by the journal: what does not fit together",
    ),
    (
        "storage-full",
        "orphan_candidate.sql",
        "o.size IS NOT NULL",
        "o.size IS NULL",
        "what lies over it",
    ),
    (
        "storage-read-only",
        "worker/adopt.sql",
        "'superseded' FROM chosen",
        "'abandoned' FROM chosen",
        "what does not fit together in the end",
    ),
    (
        "storage-gone",
        "orphan_candidate.sql",
        "(j.epoch > a.epoch OR j.finished_at IS NOT NULL)",
        "j.epoch < a.epoch",
        "the jobs with the store back",
    ),
    (
        "storage-truncated",
        "missing_artifact.sql",
        "o.digest <> j.published_digest)",
        "false)",
        "the job with 64 bytes of its file",
    ),
]

_HALF: Final = """
def half(self, claim, work):
    try:
        return whole(self, claim, work)
    except OSError:
        return "sha256:" + "0" * 64
whole, worker.Worker._write = worker.Worker._write, half
"""
_MAKES: Final = """
import os
whole = worker._new_file
def making(store, name):
    (store / name).parent.mkdir(parents=True, exist_ok=True)
    return whole(store, name)
worker._new_file = making
"""
_BELIEVES: Final = """
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
# Trial, what is done to the worker, the observation that is broken by it.
WORKERS: Final = [
    ("storage-full", _HALF, "the results"),
    ("storage-full", f"{_NO_MOUNTS}{_HALF}", "the results"),
    ("storage-read-only", _HALF, "the results"),
    ("storage-gone", _MAKES, "whether a worker made the store anew"),
    ("publish-backend-killed", _BELIEVES, "its file safe, the statement not sent: the result"),
]


def rehearsed(
    binaries: Binaries, trial: str, pack: str = str(packs.HOME), before: str = ""
) -> dict[str, Any]:
    """What came of one trial on that pack, after `before` was done in its process."""
    (number,) = (number for number, (_, script) in SCRIPTS.items() if script.name == trial)
    config = {"pack": pack, "prefix": str(binaries.folder.parent), "groups": [number]}
    code = f"from aps.demo import worker\n{before}\nfrom aps.drill import process\nprocess.main()"
    run = subprocess.run(
        [sys.executable, "-P", "-c", code, json.dumps(config)],
        env={**os.environ, "PYTHONPATH": _PACKAGES},
        capture_output=True,
        text=True,
        timeout=cli.TIMEOUT,
        check=False,
    )
    told = [json.loads(line) for line in run.stdout.splitlines()]
    found = [one["rehearsal"] for one in told if "rehearsal" in one]
    assert len(found) == 1, (told, run.stderr)
    result: dict[str, Any] = found[0]
    return result


def noticed(rehearsal: dict[str, Any], observation: str) -> None:
    """Broken, and by that observation."""
    failed = [one["what"] for one in rehearsal["observations"] if not one["holds"]]
    assert (rehearsal["verdict"], observation in failed) == ("broken", True), rehearsal


@pytest.mark.parametrize(
    ("trial", "file", "old", "new", "observation"), COPIES, ids=[one[0] for one in COPIES]
)
def test_a_broken_copy_of_the_queue_breaks_the_trial(
    binaries: Binaries, tmp_path: Path, trial: str, file: str, old: str, new: str, observation: str
) -> None:
    rehearsal = rehearsed(binaries, trial, drilling.broken(tmp_path, file, old, new))
    noticed(rehearsal, observation)


@pytest.mark.parametrize(("trial", "before", "observation"), WORKERS)
def test_a_worker_that_breaks_its_order_breaks_the_trial(
    binaries: Binaries, trial: str, before: str, observation: str
) -> None:
    rehearsal = rehearsed(binaries, trial, before=before)
    noticed(rehearsal, observation)


@pytest.mark.parametrize("trial", ["storage-full", "storage-read-only"])
def test_where_no_mount_can_be_made_a_limit_does_and_is_told(
    binaries: Binaries, trial: str
) -> None:
    rehearsal = rehearsed(binaries, trial, before=_NO_MOUNTS)
    assert (rehearsal["verdict"], rehearsal["error"]) == ("holds", None)
    first = rehearsal["observations"][0]
    assert first["what"] == "by what the storage of the worker failed"
    assert first["observed"].endswith("no mount could be made: not permitted")
