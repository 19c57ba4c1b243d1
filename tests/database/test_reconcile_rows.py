"""Inputs confirmed and publications withdrawn by what their files are, read just before and once more after."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps.errors import StoreError
from aps.exits import Exit
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database
from tests.support.operating import at
from tests.support.reconciling import Reconciler, told


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def valid(held: Artifacts) -> list[int]:
    """The jobs whose results consumers read."""
    return [row[0] for row in held.database.execute(b"SELECT job_id FROM aps.valid_result")]


def test_an_input_with_the_recorded_digest_is_confirmed_and_claimable(held: Artifacts) -> None:
    job, name = held.waiting()
    held.write(name)
    done = Reconciler(held).reconcile(job)
    assert (told(done), done.exit_code) == ({(str(job), ""): "applied"}, Exit.CLEAR)
    claim = held.queue.run("claim", worker="w1", lease="15 min")
    assert claim
    assert claim["job_id"] == job


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(None, "the input file is absent", id="absent"),
        pytest.param(b"other", "the input file has another digest", id="different"),
        pytest.param(b"", "the input file has another digest", id="empty"),
    ],
)
def test_an_input_that_is_not_right_is_not_confirmed(
    held: Artifacts, content: bytes | None, why: str
) -> None:
    job, name = held.waiting()
    if content is not None:
        held.write(name, content)
    done = Reconciler(held).reconcile(job)
    assert [(row.outcome, why in row.detail) for row in done.rows] == [("refused", True)]
    assert held.state(job)[0] == "unconfirmed_materialization"


def test_an_input_that_changes_after_the_plan_is_not_confirmed(held: Artifacts) -> None:
    job, name = held.waiting()
    file = held.write(name)
    plan = Reconciler(held).plan(job)
    file.write_bytes(b"other")
    done = Reconciler(held).apply(plan)
    assert (told(done), done.exit_code) == ({(str(job), ""): "changed"}, Exit.NOTHING_APPLIED)
    assert held.state(job)[0] == "unconfirmed_materialization"


def test_an_input_that_changes_under_the_confirmation_is_told_after_the_commit(
    held: Artifacts,
) -> None:
    job, name = held.waiting()
    file = held.write(name)
    done = Reconciler(held, pause=at("journaled", lambda: file.write_bytes(b"other"))).reconcile(
        job
    )
    assert (told(done), done.exit_code) == ({(str(job), ""): "applied"}, Exit.NOT_VERIFIED)
    assert (
        f"the input {name} is not the recorded one any more: other digest" in done.not_verified[0]
    )


@pytest.mark.parametrize("content", [None, CONTENT[:-1], b"x" * len(CONTENT)])
def test_a_publication_whose_file_is_gone_or_wrong_is_withdrawn_and_consumers_see_it_no_more(
    held: Artifacts, content: bytes | None
) -> None:
    job, file = held.published()
    kept, _ = held.published("kept")
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    done = Reconciler(held).reconcile(job)
    assert (told(done), done.exit_code) == ({(str(job), ""): "applied"}, Exit.CLEAR)
    assert (held.state(job)[0], valid(held)) == ("withdrawn", [kept])
    # It is not requeued, and no file was touched.
    assert held.queue.run("claim", worker="w9", lease="1 min") is None


def test_a_file_that_is_right_again_before_the_lock_is_not_withdrawn(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    plan = Reconciler(held).plan(job)
    file.write_bytes(CONTENT)
    done = Reconciler(held).apply(plan)
    assert (told(done), valid(held)) == ({(str(job), ""): "changed"}, [job])


def test_a_file_that_is_right_again_during_the_withdrawal_is_told_after_the_commit(
    held: Artifacts,
) -> None:
    job, file = held.published()
    file.unlink()
    pause = at("journaled", lambda: file.write_bytes(CONTENT))
    done = Reconciler(held, pause=pause).reconcile(job)
    assert (told(done), done.exit_code) == ({(str(job), ""): "applied"}, Exit.NOT_VERIFIED)
    assert "right again: undo the withdrawal" in done.not_verified[0]
    assert told(Reconciler(held).undo(done)) == {(str(job), ""): "applied"}
    assert valid(held) == [job]


@pytest.mark.parametrize(
    ("content", "seen"), [(None, "absent"), (b"other", "5 bytes, sha256:")], ids=["absent", "other"]
)
def test_a_withdrawal_is_not_undone_while_the_file_is_not_right(
    held: Artifacts, content: bytes | None, seen: str
) -> None:
    job, file = held.published()
    file.unlink()
    done = Reconciler(held).reconcile(job)
    if content is not None:
        file.write_bytes(content)
    undone = Reconciler(held).undo(done)
    (row,) = undone.rows
    assert (row.outcome, undone.exit_code) == ("blocked", Exit.NOTHING_APPLIED)
    assert f"{file.relative_to(held.root)}: {seen}" in row.detail
    assert valid(held) == []


def test_a_withdrawal_is_undone_once_and_only_as_it_was_left(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    done = Reconciler(held).reconcile(job)
    file.write_bytes(CONTENT)
    assert told(Reconciler(held).undo(done)) == {(str(job), ""): "applied"}
    assert held.state(job)[0] == "confirmed_publication"
    again = Reconciler(held).undo(done)
    assert [(row.outcome, "withdrawn_at" in row.detail) for row in again.rows] == [
        ("changed", True)
    ]


def test_a_store_that_is_gone_when_the_plan_is_applied_costs_nothing(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    plan = Reconciler(held).plan(job)
    held.root.rename(held.root.with_name("elsewhere"))
    held.root.mkdir()
    with pytest.raises(StoreError, match="is it mounted"):
        Reconciler(held).apply(plan)
    assert valid(held) == [job]
    assert held.database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]
