"""Each state of files, made by the worker's statements and real files, and what inspect tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.artifacts import CONTENT, Artifacts, Meanwhile, digest
from tests.support.database import Database


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def problem(held: Artifacts, job: int, state: str) -> str | None:
    (row,) = held.report(job).jobs[0].evidence[state]
    return row["problem"]


def test_a_publication_whose_file_is_right_is_confirmed_at_the_level_of_the_look(
    held: Artifacts,
) -> None:
    job, _ = held.published()
    levels = []
    for rehash in (False, True):
        report = held.report(job, sight=held.sight(rehash=rehash))
        assert report.jobs[0].state == "confirmed_publication"
        levels.append(report.jobs[0].evidence["confirmed_publication"][0]["level"])
    assert levels == ["listed", "rehashed"]


def test_an_absent_file_is_missing(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    assert held.state(job) == ("missing_artifact", ())
    assert problem(held, job, "missing_artifact") == "absent"


@pytest.mark.parametrize("content", [CONTENT[:5], b"", b"X" * len(CONTENT)])
def test_other_bytes_are_missing_once_they_are_read(held: Artifacts, content: bytes) -> None:
    job, file = held.published()
    file.write_bytes(content)
    assert held.state(job)[0] == "missing_artifact"
    assert problem(held, job, "missing_artifact") == "other digest"
    listed = held.report(job, sight=held.sight(rehash=False)).jobs[0]
    # Of an empty file the digest is known without reading it.
    state = "confirmed_publication" if content else "missing_artifact"
    assert listed.state == state
    assert listed.evidence[state][0]["level"] == "listed"


@pytest.mark.parametrize("kind", ["folder", "link", "link out of the store"])
def test_what_is_no_file_is_unverified_and_never_missing(
    held: Artifacts, kind: str, tmp_path: Path
) -> None:
    job, file = held.published()
    file.unlink()
    if kind == "folder":
        file.mkdir()
    else:
        target = held.write("elsewhere") if kind == "link" else tmp_path / "outside"
        target.write_bytes(CONTENT)
        file.symlink_to(target)
    assert held.state(job)[0] == "unverified_publication"
    assert (problem(held, job, "unverified_publication") or "").startswith("unreadable: it is a ")


def test_an_input_is_confirmable_only_where_its_bytes_are_right(held: Artifacts) -> None:
    said = {}
    for key, content in {"right": CONTENT, "different": b"other", "absent": None}.items():
        job, name = held.waiting(key)
        if content is not None:
            held.write(name, content)
        (row,) = held.report(job).jobs[0].evidence["unconfirmed_materialization"]
        said[key] = row["refusal"]
    assert said == {
        "right": None,
        "different": "the input file has another digest",
        "absent": "the input file is absent",
    }


def test_an_input_that_is_a_folder_cannot_be_read(held: Artifacts) -> None:
    job, name = held.waiting()
    (held.root / name).mkdir(parents=True)
    (row,) = held.report(job).jobs[0].evidence["unconfirmed_materialization"]
    assert row["refusal"] == "the input file cannot be read: it is a folder"


def test_a_file_that_nothing_confirmed_lies_over_its_job(held: Artifacts) -> None:
    job, _ = held.abandoned()
    assert held.state(job) == ("adoption", ("unconfirmed_result",))
    found = held.finding("unconfirmed_result")
    assert (found.jobs, found.level, found.looked, found.claimed) == (1, "rehashed", 1, 1)


def test_the_file_of_a_spent_epoch_is_an_orphan(held: Artifacts) -> None:
    job, file = held.orphan()
    assert held.state(job) == ("live_lease", ("orphan_candidate",))
    report = held.report(state="orphan_candidate")
    assert [one.job for one in report.jobs] == [str(job)]
    (row,) = report.jobs[0].evidence["orphan_candidate"]
    assert row["item"] == file.relative_to(held.root).as_posix()
    assert report.jobs_total == 1


def test_the_candidate_of_the_current_epoch_is_no_orphan(held: Artifacts) -> None:
    claim = held.queue.claimed()
    held.write(claim["candidate"])
    report = held.report()
    assert [one.state for one in report.states if one.items and one.level] == []


def test_a_file_that_no_row_names_is_a_stray_and_is_named(held: Artifacts) -> None:
    held.published()
    held.write("reports/q3.xlsx")
    found = held.finding("stray_file")
    assert (found.items, found.jobs, found.level) == (1, 0, "listed")
    assert found.samples == ("reports/q3.xlsx",)


def test_a_name_that_two_rows_hold_is_judged_for_both(held: Artifacts) -> None:
    first, file = held.published("one")
    second, other = held.published("two")
    name = file.relative_to(held.root).as_posix()
    held.database.execute(b"ALTER TABLE aps.job DROP CONSTRAINT published_name_of_this_epoch")
    held.database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER guard_job")
    held.database.execute(
        b"UPDATE aps.job SET published_name = %s WHERE job_id = %s", [name, second]
    )
    file.unlink()
    found = held.finding("missing_artifact")
    assert (found.jobs, found.looked, found.claimed) == (2, 1, 1)
    assert {held.state(first)[0], held.state(second)[0]} == {"missing_artifact"}
    assert other.exists()


@pytest.mark.parametrize("name", ["../1/1-a", "/etc/passwd", "1/../../x", "1/\x07", "", "1//a"])
def test_a_name_that_may_not_be_looked_up_is_unverified_and_reads_nothing(
    held: Artifacts, name: str
) -> None:
    job, _ = held.published()
    held.database.execute(b"ALTER TABLE aps.job DROP CONSTRAINT published_name_of_this_epoch")
    held.database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER guard_job")
    held.database.execute(b"UPDATE aps.job SET published_name = %s", [name])
    assert held.state(job)[0] == "unverified_publication"
    found = held.finding("unverified_publication")
    assert (found.jobs, found.looked, found.claimed) == (1, 0, 1)


def test_a_file_published_between_look_and_query_is_never_missing(held: Artifacts) -> None:
    claim = held.queue.claimed()

    def publish() -> None:
        held.write(claim["candidate"])
        assert held.queue.publish(claim["job_id"], "w1", claim["epoch"], digest(CONTENT))

    sight = held.sight(Meanwhile(held.root, publish))
    found = {one.state: one for one in held.report(sight=sight).states}
    assert found["missing_artifact"].jobs == 0
    assert found["confirmed_publication"].jobs == 1


def test_a_half_written_file_that_is_published_after_the_look_is_never_missing(
    held: Artifacts,
) -> None:
    claim = held.queue.claimed()
    held.write(claim["candidate"], CONTENT[:3])

    def publish() -> None:
        held.write(claim["candidate"])
        assert held.queue.publish(claim["job_id"], "w1", claim["epoch"], digest(CONTENT))

    sight = held.sight(Meanwhile(held.root, publish))
    (job,) = held.report(claim["job_id"], sight=sight).jobs
    assert job.state == "confirmed_publication"


def test_a_file_lost_after_the_look_is_told_as_it_was_seen(held: Artifacts) -> None:
    job, file = held.published()
    sight = held.sight(Meanwhile(held.root, file.unlink))
    assert held.report(job, sight=sight).jobs[0].state == "confirmed_publication"


def test_no_transaction_is_open_while_files_are_read(held: Artifacts) -> None:
    held.published()
    open_ones = b"""SELECT count(*) FROM pg_stat_activity
                     WHERE application_name = 'aps/test' AND xact_start IS NOT NULL"""
    seen: list[object] = []
    sight = held.sight(Meanwhile(held.root, lambda: seen.append(held.database.execute(open_ones))))
    held.report(sight=sight)
    assert seen == [[(0,)]]


def test_the_window_bounds_what_is_looked_up_but_not_a_named_job(held: Artifacts) -> None:
    job, file = held.published()
    file.unlink()
    held.database.execute(b"UPDATE aps.job SET finished_at = finished_at - interval '3 days'")
    found = held.finding("missing_artifact")
    assert (found.jobs, found.claimed, found.windowed) == (0, 0, True)
    assert held.state(job)[0] == "missing_artifact"


def test_where_narrows_a_list_of_a_file_state(held: Artifacts) -> None:
    jobs = []
    for key in ("one", "two"):
        job, file = held.published(key)
        file.unlink()
        jobs.append(job)
    narrowed = held.report(state="missing_artifact", where={"job_id": str(jobs[1])})
    assert [one.job for one in narrowed.jobs] == [str(jobs[1])]
