"""The trials of cleanups and of callers notice a queue, or an engine, that does not keep its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from aps.demo.binaries import Binaries
from tests.support import drilling
from tests.support.rehearsed import noticed, rehearsed

pytestmark = pytest.mark.one_server

_ORPHAN: Final = "orphan_candidate.sql"
_ACCEPT: Final = "worker/accept.sql"
_ENDED: Final = """   AND a.ended_at <= %(clock)s - %(orphan_grace)s
   AND (j.epoch > a.epoch OR j.finished_at IS NOT NULL)
   AND (j.lease_until IS NULL OR j.lease_until <= %(clock)s - %(orphan_grace)s OR j.epoch > a.epoch)
"""
_NO_END: Final = "   AND %(clock)s - %(orphan_grace)s IS NOT NULL\n"
_OPEN: Final = """
   AND NOT EXISTS (SELECT FROM aps.attempt o WHERE o.candidate = a.candidate AND o.ended_at IS NULL)"""
_FENCE: Final = "h.worker = %(worker)s AND h.epoch = %(epoch)s AND h.clock < h.lease_until"
_LEFT: Final = "files that are left and not to be moved, or to be moved and not left"
_COUNTED: Final = "requests, and how often each was accepted"
# Trial, file below queries/, what it says and what it says in the copy, the observation that is broken by it.
COPIES: Final = [
    (
        "cleanup-overtaken",
        _ORPHAN,
        (("a.ended_at AS since", "clock_timestamp() AS since"),),
        "begun: what the two were told",
    ),
    (
        "cleanup-needed-again",
        _ORPHAN,
        (("AND NOT EXISTS (SELECT FROM aps.job i WHERE i.input_name = a.candidate)", ""),),
        "move linked: the file",
    ),
    (
        "cleanup-against-publication",
        _ORPHAN,
        (("AND NOT EXISTS (SELECT FROM aps.job p WHERE p.published_name = a.candidate)", ""),),
        "jobs whose reader has not the whole file of the last epoch",
    ),
    ("cleanup-against-publication", _ORPHAN, ((_ENDED, _NO_END), (_OPEN, "")), _LEFT),
    (
        "cleanup-against-publication",
        "worker/publish.sql",
        ((_FENCE, "true"),),
        "move checked: the answers to the two",
    ),
    ("request-answer-lost", _ACCEPT, ((" WHERE fresh", ""),), _COUNTED),
    ("request-answer-lost", _ACCEPT, (("(xmax = 0) AS", "true AS"),), "killed: the answers"),
    ("request-commit-lost", _ACCEPT, (("(xmax = 0)", "(xmax <> 0)"),), "unread: the answer"),
    (
        "request-key-reused",
        _ACCEPT,
        (("WHEN kind = %(kind)s AND", "WHEN"),),
        "the same key with another kind",
    ),
    (
        "request-key-reused",
        _ACCEPT,
        (("input_name IS NOT DISTINCT FROM %(input_name)s::text", "true"),),
        "the same key with another input",
    ),
    (
        "request-key-reused",
        _ACCEPT,
        (("input_digest IS NOT DISTINCT FROM %(input_digest)s::text", "true"),),
        "the same key with another digest",
    ),
    (
        "request-key-reused",
        _ACCEPT,
        (("SET updated_at = job.updated_at", "SET updated_at = clock_timestamp()"),),
        "what changed of the rows",
    ),
    (
        "request-at-once",
        _ACCEPT,
        (("DO UPDATE SET updated_at = job.updated_at", "DO NOTHING"),),
        "same content: the answers",
    ),
    (
        "request-at-once",
        _ACCEPT,
        (("ELSE 'conflict'", "ELSE 'repeated'"),),
        "all at once: the statuses",
    ),
]

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
_COMMITS_AT_ONCE: Final = """
from aps.database import Database
Database.begin_write = lambda self: setattr(self._connection, "autocommit", True)
"""
# Trial, what is done to the engine or to the front, the observation that is broken by it.
ENGINES: Final = [
    (
        "cleanup-overtaken",
        _OWNS_ALL,
        "files with other names than those in quarantine that the journal has",
    ),
    ("cleanup-overtaken", _LOSES_IT, "steps at which the file had no name"),
    ("cleanup-side-by-side", _LOSES_IT, "files that are not back with the same bytes and one name"),
    ("cleanup-side-by-side", _BOTH_TOOK_IT, "move linked: what the two were told"),
    ("cleanup-needed-again", _ASKS_NOBODY, "moved: the file"),
    ("request-commit-lost", _COMMITS_AT_ONCE, "requests that are there"),
]


@pytest.mark.parametrize(
    ("trial", "file", "changes", "observation"),
    COPIES,
    ids=[f"{one[0]}-{one[3]}" for one in COPIES],
)
def test_a_broken_copy_of_the_queue_breaks_the_trial(
    binaries: Binaries,
    tmp_path: Path,
    trial: str,
    file: str,
    changes: tuple[tuple[str, str], ...],
    observation: str,
) -> None:
    first, *rest = changes
    pack = drilling.broken(tmp_path, file, *first)
    for old, new in rest:
        changed = Path(pack) / "queries" / file
        text = changed.read_text(encoding="utf-8")
        assert text.count(old) == 1
        changed.write_text(text.replace(old, new), encoding="utf-8")
    noticed(rehearsed(binaries, trial, pack), observation)


@pytest.mark.parametrize(
    ("trial", "before", "observation"), ENGINES, ids=[f"{one[0]}-{one[2]}" for one in ENGINES]
)
def test_an_engine_that_leaves_out_a_step_breaks_the_trial(
    binaries: Binaries, trial: str, before: str, observation: str
) -> None:
    noticed(rehearsed(binaries, trial, before=before), observation)
