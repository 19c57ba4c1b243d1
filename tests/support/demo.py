"""A demo of a test's own, below a folder that no real demo uses; and what can be seen of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from aps import database, matrix, packs, triage
from aps.demo import control
from aps.demo.state import Demo
from aps.model.report import Report
from tests.support import cli
from tests.support.watching import is_gone

PACKAGES = str(Path(control.__file__).parents[2])


@contextmanager
def own_folder() -> Iterator[Path]:
    """The place of a demo: a closed folder with spaces in its path, and the folder that commands are given in.

    A module that lies there must not be taken for one of Python's own.
    """
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"aps demo {os.getpid()} "))
    try:
        (folder / "json.py").write_text("raise SystemExit('the wrong json')")
        with pytest.MonkeyPatch.context() as patch:
            for name, place in (("XDG_RUNTIME_DIR", "run time"), ("TMPDIR", "tmp")):
                (folder / place).mkdir()
                patch.setenv(name, str(folder / place))
            patch.setattr(tempfile, "tempdir", None)
            patch.setenv("PYTHONPATH", PACKAGES)
            patch.chdir(folder)
            try:
                yield folder
            finally:
                control.stop()
    finally:
        shutil.rmtree(folder)


def _sweep() -> None:
    """Remove what killed test runs left. A demo that still runs there ends when its folder is gone."""
    for left in Path(tempfile.gettempdir()).glob("aps demo * *"):
        run = left.name.split()[2]
        with suppress(OSError):
            if run.isdigit() and left.stat().st_uid == os.geteuid() and is_gone(int(run)):
                shutil.rmtree(left)


def aps(*words: str) -> cli.Result:
    """The command, which finds the demo of this test."""
    names = ("XDG_RUNTIME_DIR", "TMPDIR")
    return cli.call(*words, env={name: os.environ[name] for name in names})


def processes(demo: Demo) -> tuple[int, ...]:
    return (demo.supervisor, demo.server, *demo.workers.values())


def all_gone(demo: Demo) -> bool:
    places = (Path(demo.home), Path(demo.sockets))
    return all(map(is_gone, processes(demo))) and not any(place.exists() for place in places)


def row(demo: Demo, part: str) -> str:
    """The whole row of a job, as text."""
    with psycopg.connect(demo.dsn("aps_read")) as connection:
        found = connection.execute(
            b"SELECT job::text FROM aps.job WHERE job_id = %s", [demo.jobs[part]]
        ).fetchone()
    assert found
    return str(found[0])


def events(demo: Demo, part: str) -> list[tuple[str, int | None]]:
    with psycopg.connect(demo.dsn("aps_read")) as connection:
        found = connection.execute(
            b"SELECT kind, epoch FROM aps.event WHERE job_id = %s ORDER BY event_id",
            [demo.jobs[part]],
        ).fetchall()
    return [(str(kind), epoch) for kind, epoch in found]


def look(demo: Demo, *parts: str) -> Report:
    jobs = tuple(str(demo.jobs[part]) for part in parts)
    with database.connect(demo.dsn(), application="test") as session:
        return triage.inspect(matrix.load(packs.find("aps")), session, triage.Look(jobs=jobs))
