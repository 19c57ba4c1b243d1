"""A database that is older than its store: what it says of files does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import planning
from aps import snapshot as snapshots
from aps.errors import StoreError
from aps.files import walked
from aps.model.plan import Plan
from aps.planning import Selection
from tests.support.artifacts import Artifacts
from tests.support.database import Database
from tests.support.looking import hasty, reference
from tests.support.reconciling import Reconciler


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def reclaim(held: Artifacts, *jobs: int, sight: bool = True) -> Plan:
    chosen = Selection(jobs=tuple(map(str, jobs)), state=None if jobs else "adoption")
    with Reconciler(held).session() as session:
        seen = held.sight(rehash=False) if sight else None
        return planning.plan(reference(), session, "reclaim", chosen, seen)


def published(held: Artifacts, right: int, gone: int) -> list[int]:
    """The jobs whose files are gone."""
    for n in range(right):
        held.published(f"right{n}")
    jobs = []
    for n in range(gone):
        job, file = held.published(f"gone{n}")
        file.unlink()
        jobs.append(job)
    return jobs


def test_a_database_older_than_its_store_stops_every_reconcile(held: Artifacts) -> None:
    (gone,) = published(held, 1, 1)
    orphan, _ = held.orphan()
    waiting, name = held.waiting()
    held.write(name)
    held.write("1/2-0123456789ab")
    states = ("missing_artifact", "orphan_candidate", "unconfirmed_materialization")
    for jobs, state in [
        *(((), state) for state in states),
        *(((one,), None) for one in (gone, orphan, waiting)),
    ]:
        with pytest.raises(StoreError, match="older than the store: 1/2-0123456789ab"):
            Reconciler(held).plan(*jobs, state=state)


def test_a_reclaim_leaves_out_just_the_jobs_that_are_ahead(held: Artifacts) -> None:
    first, second = held.abandoned("a")[0], held.abandoned("b")[0]
    held.write(f"{first}/7-0123456789ab")
    for jobs in ((first, second), ()):
        made = reclaim(held, *jobs)
        assert [one.job for one in made.jobs] == [str(second)]
        (left,) = made.refused
        assert (left.job, left.state) == (str(first), "adoption")
        assert f"{first}/7-0123456789ab is of epoch 7, but job {first} is at epoch 1" in left.reason
    assert len(reclaim(held, first, second, sight=False).jobs) == 2


def test_every_job_that_is_ahead_is_found_in_any_chunk(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [held.abandoned(f"k{n}")[0] for n in range(5)]
    for job in jobs[:4]:
        held.write(f"{job}/7-0123456789ab")
    monkeypatch.setattr(walked, "CHUNK", 2)
    made = reclaim(held, *jobs)
    assert [one.job for one in made.refused] == [str(job) for job in jobs[:4]]
    assert [one.job for one in made.jobs] == [str(jobs[4])]


def held_to(held: Artifacts, made: Plan) -> Plan:
    with Reconciler(held).session() as session:
        with session.look():
            seen = snapshots.take(session, hasty(), session.probe())
        return planning.held_to_store(made, seen, held.sight())


def test_a_saved_plan_is_held_to_the_store_as_it_is_now(held: Artifacts) -> None:
    first, second = held.abandoned("a")[0], held.abandoned("b")[0]
    (gone,) = published(held, 1, 1)
    saved, withdrawal = reclaim(held, first, second), Reconciler(held).plan(gone)
    assert (held_to(held, saved), held_to(held, withdrawal)) == (saved, withdrawal)
    held.write(f"{first}/7-0123456789ab")
    less = held_to(held, saved)
    assert [one.job for one in less.jobs] == [str(second)]
    assert [one.job for one in less.refused] == [str(first)]
    assert less.fingerprint == planning.fingerprint(less)
    with pytest.raises(StoreError, match="older than the store"):
        held_to(held, withdrawal)
