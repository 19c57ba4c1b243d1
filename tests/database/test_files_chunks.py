"""A queue or a store that is looked at in chunks: each job is counted once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aps import files
from aps import snapshot as snapshots
from aps.files import Wanted, claimed, walked
from tests.support.artifacts import Artifacts
from tests.support.database import Database
from tests.support.looking import hasty
from tests.support.reconciling import Reconciler


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def test_a_job_with_names_in_two_chunks_is_counted_once(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue whose rows claim two names each, far apart in byte order."""
    jobs = [held.waiting(f"k{n}")[0] for n in range(5)]
    loaded = hasty()
    assert loaded.names
    twice = f"{loaded.names.sql} UNION ALL SELECT job_id, 'zz/' || job_id, 0 FROM aps.job"
    found = {}
    for size in (1, 2, 3, 100):
        monkeypatch.setattr(claimed, "CHUNK", size)
        found[size] = _counted(held, twice)
    assert found == dict.fromkeys((1, 2, 3, 100), (len(jobs), 2 * len(jobs)))


def _counted(held: Artifacts, names: str) -> tuple[int, int | None]:
    loaded = hasty()
    assert loaded.names
    matrix = replace(loaded, names=replace(loaded.names, sql=names))
    with Reconciler(held).session() as session:
        with session.look():
            seen = snapshots.take(session, matrix, session.probe())
        looked = files.survey(held.sight(rehash=False), seen, None, Wanted(10))
    assert looked.error is None
    return looked.counts["unconfirmed_materialization"].jobs, looked.claimed


def test_a_job_with_files_on_both_sides_of_a_chunk_is_counted_once(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, _ = held.orphan("o")
    ends: tuple[Callable[[], object], ...] = (
        lambda: held.queue.adopt("w3"),
        lambda: held.queue.cancel(job, 3),
    )
    for end in ends:
        held.database.execute(
            b"UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'"
        )
        held.write(held.database.execute(b"SELECT candidate FROM aps.job")[0][0])
        assert end()
    found = set()
    for size in (1, 2, 3, 100):
        monkeypatch.setattr(walked, "CHUNK", size)
        one = held.finding("orphan_candidate", sight=held.sight(rehash=False))
        found.add((one.jobs, one.items, one.worst))
    assert found == {(1, 3, str(job))}
