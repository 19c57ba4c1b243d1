"""`aps` as an operator types it against a test's database and store, and what it leaves in journal and folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aps.store import IDENTITY_NAME
from tests.support import cli
from tests.support.artifacts import Artifacts
from tests.support.processes import Paused
from tests.support.reconciling import GRACELESS
from tests.support.sessions import eventually
from tests.unit.store_folders import WITHOUT_CAPABILITIES, run

YES = ("--yes", "--reason", "a test")
WIDE = {"COLUMNS": "300"}

Told = dict[str, Any]


def words(held: Artifacts, *given: str, role: str = "aps_operate") -> tuple[str, ...]:
    """With where database and store are, and without the graces where the command has them."""
    where = ("--store", str(held.root), "--dsn", held.database.dsn(role))
    return (*given, *where, *(() if given[0] == "log" else GRACELESS))


def typed(held: Artifacts, *given: str, role: str = "aps_operate") -> cli.Result:
    """As shown on a wide terminal."""
    return cli.call(*words(held, *given, role=role), env=WIDE)


def done(held: Artifacts, *given: str, role: str = "aps_operate") -> Told:
    """Applied; what was told as JSON."""
    return parsed(typed(held, *given, *YES, "--format", "json", role=role))


def parsed(said: cli.Result) -> Told:
    assert "Traceback" not in said.stderr, said.stderr
    assert said.stdout, said
    told: Told = json.loads(said.stdout)
    assert told["exit_code"] == said.code
    return told


def outcomes(told: Told) -> dict[tuple[str, str], str]:
    """Job and item to outcome."""
    return {(row["job"], row["item"]): row["outcome"] for row in told["rows"]}


class Insisting(Paused):
    """A process whose operator loses patience."""

    def insist(self) -> None:
        """Ctrl-C twice; two at once would be one."""
        before = self._slept
        self.interrupt()
        eventually(lambda: self._slept > before)
        self.interrupt()

    @property
    def _slept(self) -> int:
        """How often it went to sleep: it wakes for a signal, and sleeps again once that is heard."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


@contextmanager
def paused(held: Artifacts, step: str, *given: str) -> Iterator[Insisting]:
    """The same, as a process that stops at that step."""
    process = Insisting(step, *words(held, *given), *YES, "--format", "json")
    try:
        yield process
    finally:
        process.end()


def behind(prefix: list[str], held: Artifacts, module: str, *given: str) -> str:
    """What a module of these tests prints behind `setpriv` or `unshare`: to the server our account is any other."""
    sockets = held.database.cluster.sockets
    before = sockets.stat().st_mode
    sockets.chmod(0o755)
    try:
        return run(module, *given, prefix=prefix)
    finally:
        sockets.chmod(before)


def unprivileged(held: Artifacts, *given: str) -> cli.Result:
    """As an account to which the modes of files mean something; its stderr is not kept."""
    said = behind(WITHOUT_CAPABILITIES, held, "tests.support.looker", *words(held, *given))
    code, _, text = said.partition("\n")
    return cli.Result(int(code), text, "")


def files(held: Artifacts) -> dict[str, bytes]:
    """Every name in the store but that of its identity."""
    return {
        file.relative_to(held.root).as_posix(): file.read_bytes()
        for file in held.root.rglob("*")
        if file.is_file() and not file.is_symlink() and file.name != IDENTITY_NAME
    }


def journal(held: Artifacts) -> list[tuple[str, str, str]]:
    """Job, phase and outcome of every entry."""
    sql = b"SELECT job, phase, outcome FROM aps_journal.entry ORDER BY operation, job, item, phase"
    return [(str(job), str(phase), str(told)) for job, phase, told in held.database.execute(sql)]


def open_intents(held: Artifacts) -> int:
    """Files that were to be moved, and of which no outcome is recorded."""
    sql = b"""SELECT count(*) FROM aps_journal.entry e WHERE phase = 'intent' AND NOT EXISTS (
        SELECT FROM aps_journal.entry o
         WHERE (o.operation, o.job, o.item) = (e.operation, e.job, e.item) AND o.phase = 'applied')"""
    return int(held.database.execute(sql)[0][0])


def untouched(held: Artifacts, before: dict[str, bytes]) -> bool:
    """No file was moved, and the journal knows nothing."""
    sql = b"SELECT count(*) FROM aps_journal.batch"
    return files(held) == before and held.database.execute(sql) == [(0,)]
