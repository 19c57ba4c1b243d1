"""A store in doubt: how much of it may be missing, whose it is, and which of its folders may be read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aps import planning
from aps.errors import Refused, StoreError
from aps.model.plan import Plan
from aps.planning import Selection
from aps.store import IDENTITY_NAME
from tests.support import cli
from tests.support.artifacts import Artifacts
from tests.support.database import Database
from tests.support.looking import reference
from tests.support.reconciling import Reconciler
from tests.unit.store_folders import WITHOUT_CAPABILITIES, run


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


def test_where_too_much_is_missing_the_store_is_in_doubt_and_nothing_is_planned(
    held: Artifacts,
) -> None:
    jobs = published(held, 0, 12)
    words = "12 of 12 files are missing, more than 20%: is the store whole, and mounted?"
    for named in ((), jobs):
        with pytest.raises(Refused) as caught:
            Reconciler(held).plan(*named, state="missing_artifact")
        assert words in str(caught.value)
        assert "One job that is named may still be withdrawn" in str(caught.value)
    assert len(Reconciler(held).plan(jobs[0]).jobs) == 1
    assert len(Reconciler(held).plan(*jobs[:9]).jobs) == 9


@pytest.mark.parametrize(
    ("right", "gone", "doubt"), [(0, 9, False), (8, 2, False), (7, 3, True), (11, 3, True)]
)
def test_of_ten_or_more_a_fifth_may_be_missing(
    held: Artifacts, right: int, gone: int, doubt: bool
) -> None:
    jobs = published(held, right, gone)
    if doubt:
        with pytest.raises(Refused, match="is the store whole"):
            Reconciler(held).plan(state="missing_artifact")
    else:
        assert len(Reconciler(held).plan(state="missing_artifact").jobs) == len(jobs)


def test_files_that_workers_have_not_begun_are_no_sign(held: Artifacts) -> None:
    for n in range(12):
        held.queue.claimed(f"w{n}", key=f"k{n}")
    (job,) = published(held, 2, 1)
    made = Reconciler(held).plan(state="missing_artifact")
    assert [one.job for one in made.jobs] == [str(job)]
    assert (made.looked, made.missing) == (3, 1)


def test_what_is_acted_upon_because_it_is_there_needs_no_share(held: Artifacts) -> None:
    published(held, 0, 12)
    orphan, _ = held.orphan()
    assert len(Reconciler(held).plan(state="orphan_candidate").jobs) == 1
    assert len(Reconciler(held).plan(orphan).jobs) == 1


def test_what_lies_over_a_job_to_be_reclaimed_is_planned_with_it(held: Artifacts) -> None:
    job, file = held.abandoned()
    (one,) = reclaim(held, job).jobs
    (row,) = one.overlays["unconfirmed_result"]
    assert row["item"] == file.relative_to(held.root).as_posix()
    assert (row["level"], one.evidence) == (
        "listed",
        reclaim(held, job, sight=False).jobs[0].evidence,
    )
    bare = reclaim(held, job, sight=False)
    assert (bare.jobs[0].overlays, bare.store, bare.level) == ({}, None, "recorded")
    assert "nobody looked" in " ".join(bare.notes)


def wrong_store(held: Artifacts) -> None:
    makes: tuple[Callable[[], Plan], ...] = (
        lambda: Reconciler(held).plan(1),
        lambda: reclaim(held, 1),
    )
    for make in makes:
        with pytest.raises(StoreError, match=r"store file://"):
            make()


def test_a_store_that_is_not_the_right_one_stops_all(held: Artifacts) -> None:
    held.abandoned()
    held.database.execute(b"UPDATE aps.store SET store_id = 'another'")
    wrong_store(held)


@pytest.mark.parametrize("how", ["gone", "empty", "damaged"])
def test_a_store_that_is_not_there_stops_all(held: Artifacts, how: str) -> None:
    held.abandoned()
    if how == "damaged":
        (held.root / IDENTITY_NAME).write_text("{")
    else:
        shutil.rmtree(held.root)
    if how == "empty":
        held.root.mkdir()
    wrong_store(held)


def test_a_folder_that_may_not_be_read_hides_no_orphan(held: Artifacts) -> None:
    held.orphan()
    closed = held.write("closed/anything").parent
    closed.chmod(0)
    sockets = held.database.cluster.sockets
    before = sockets.stat().st_mode
    sockets.chmod(0o755)
    words = ("--store", str(held.root), "--dsn", held.database.dsn("aps_operate"))
    grace = ("--set", "orphan_grace=0 s")
    try:
        said = [
            run("tests.support.looker", *chosen, *grace, *words, prefix=WITHOUT_CAPABILITIES)
            for chosen in (
                ("reconcile", "--all", "--state", "orphan_candidate"),
                ("reconcile", "1"),
            )
        ]
    finally:
        closed.chmod(0o700)
        sockets.chmod(before)
    assert said[0].startswith("32\n")
    # A named job has its own names: the folder is told beside it.
    assert said[1].startswith("0\n")
    assert "not every folder of the store can be read: closed/" in " ".join(said[1].split())
    assert cli.call("reconcile", "1", *grace, *words).code == 0
