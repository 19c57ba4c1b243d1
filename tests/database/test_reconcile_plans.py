"""What `aps reconcile` would do, planned with the files as they lie there; nothing is changed by any of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from aps import planning
from aps.errors import NoSuchJob, Refused, StoreError, Usage
from aps.model.plan import Plan
from aps.planning import Selection
from tests.support.artifacts import CONTENT, Artifacts, Meanwhile, digest
from tests.support.database import Database
from tests.support.looking import hasty, reference
from tests.support.reconciling import Reconciler


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def plan(held: Artifacts, *jobs: int, state: str | None = None, **chosen: Any) -> Plan:
    """Of these jobs, else in bulk; a whole queue or store is only listed."""
    selection = Selection(jobs=tuple(map(str, jobs)), state=state, **chosen)
    with Reconciler(held).session() as session:
        sight = held.sight(rehash=False)
        return planning.plan(hasty(), session, "reconcile", selection, sight)


def planned(made: Plan) -> list[str]:
    return [job.job for job in made.jobs]


def refused(made: Plan) -> dict[str, str]:
    return {one.job: one.reason for one in made.refused}


def test_a_publication_whose_file_is_right_is_only_looked_at(held: Artifacts) -> None:
    job, _ = held.published()
    made = plan(held, job)
    assert (made.state, made.writes, planned(made)) == ("confirmed_publication", False, [str(job)])
    assert made.jobs[0].evidence[0]["level"] == made.level == "rehashed"


def test_a_publication_whose_file_is_wrong_is_planned_to_be_withdrawn(held: Artifacts) -> None:
    job, file = held.published()
    file.write_bytes(b"X" * len(CONTENT))
    made = plan(held, job)
    assert (made.state, made.writes, planned(made)) == ("missing_artifact", True, [str(job)])
    assert made.jobs[0].evidence[0]["observed_digest"] == digest(b"X" * len(CONTENT))


def test_of_several_publications_those_that_are_right_are_told_apart(held: Artifacts) -> None:
    right, _ = held.published("right")
    wrong, file = held.published("wrong")
    file.unlink()
    made = plan(held, right, wrong)
    assert (made.state, planned(made)) == ("missing_artifact", [str(wrong)])
    assert "its file was read" in refused(made)[str(right)]


def test_an_input_is_planned_only_where_it_is_right(held: Artifacts) -> None:
    jobs = {}
    for key, content in {"right": CONTENT, "other": b"other", "absent": None}.items():
        job, name = held.waiting(key)
        jobs[key] = str(job)
        if content is not None:
            held.write(name, content)
    made = plan(held, *map(int, jobs.values()))
    assert planned(made) == [jobs["right"]]
    assert refused(made) == {
        jobs["other"]: "the input file has another digest",
        jobs["absent"]: "the input file is absent",
    }


def test_an_input_within_the_grace_of_its_producer_is_refused(held: Artifacts) -> None:
    job, name = held.waiting()
    held.write(name)
    with Reconciler(held).session() as session:
        chosen = Selection(jobs=(str(job),))
        made = planning.plan(reference(), session, "reconcile", chosen, held.sight())
    assert "too young" in refused(made)[str(job)]


def test_inputs_in_bulk_are_looked_at_oldest_first_until_enough_are_right(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aps.gathering._GROUP", 2)
    right = []
    for n in range(9):
        job, name = held.waiting(f"i{n}")
        if n % 3 == 2:
            held.write(name)
            right.append(str(job))
    state = "unconfirmed_materialization"
    assert planned(plan(held, state=state, limit=2)) == right[:2]
    made = plan(held, state=state)
    assert (planned(made), made.found, made.refused) == (right, 9, ())
    assert planned(plan(held, state=state, where={"input_name": "inputs/i5.csv"})) == [right[1]]
    assert planned(plan(held, state=state, older_than=timedelta(hours=1))) == []


def test_missing_files_in_bulk_are_found_by_a_survey_and_read_before_they_are_planned(
    held: Artifacts,
) -> None:
    gone = []
    for n in range(4):
        job, file = held.published(f"p{n}")
        if n:
            file.unlink()
            gone.append(str(job))
    made = plan(held, state="missing_artifact", limit=2)
    assert (planned(made), made.found) == (gone[:2], 3)
    assert (made.looked, made.missing, made.level) == (4, 3, "rehashed")
    narrowed = plan(held, state="missing_artifact", where={"job_id": gone[2]})
    assert planned(narrowed) == [gone[2]]


def test_what_only_the_bytes_tell_is_found_in_bulk_where_they_are_read(held: Artifacts) -> None:
    job, file = held.published()
    file.write_bytes(b"X" * len(CONTENT))
    assert planned(plan(held, state="missing_artifact")) == []
    assert planned(Reconciler(held).plan(state="missing_artifact")) == [str(job)]


def test_a_file_that_is_back_when_it_is_read_is_not_planned(held: Artifacts) -> None:
    _, file = held.published()
    file.unlink()
    # Back behind the second look of the survey.
    sight = held.sight(Meanwhile(held.root, lambda: None), rehash=False)
    looks = []
    look = sight.store.look

    def counted(*words: Any, **named: Any) -> Any:
        looks.append(words)
        if len(looks) == 3:
            file.write_bytes(CONTENT)
        return look(*words, **named)

    with Reconciler(held).session() as session:
        sight.store.look = counted  # type: ignore[method-assign]
        chosen = Selection(state="missing_artifact")
        made = planning.plan(hasty(), session, "reconcile", chosen, sight)
    assert (planned(made), made.found, made.refused) == ([], 1, ())


def test_orphans_in_bulk_are_planned_with_their_bytes(held: Artifacts) -> None:
    orphans = [held.orphan(f"o{n}")[0] for n in range(3)]
    made = plan(held, state="orphan_candidate", limit=2)
    assert (planned(made), made.found) == ([str(job) for job in orphans[:2]], 3)
    assert {job.evidence[0]["observed_digest"] for job in made.jobs} == {digest(CONTENT)}


def test_where_narrows_the_files_of_one_job(held: Artifacts) -> None:
    job, _ = held.orphan()
    held.database.execute(b"UPDATE aps.job SET lease_until = clock_timestamp() - interval '1 s'")
    (candidate,) = held.database.execute(b"SELECT candidate FROM aps.job")[0]
    held.write(candidate)
    assert held.queue.adopt("w3")
    assert len(plan(held, job).jobs[0].evidence) == 2
    (one,) = plan(held, state="orphan_candidate", where={"worker": "w2"}).jobs
    assert [row["item"] for row in one.evidence] == [candidate]


def test_an_overlay_is_planned_over_a_job_whose_own_state_is_nobodys(held: Artifacts) -> None:
    job, _ = held.orphan()
    made = plan(held, job)
    assert (made.state, planned(made)) == ("orphan_candidate", [str(job)])


def both(held: Artifacts) -> tuple[int, Path]:
    """A publication with its file, and over it the orphan of an earlier epoch."""
    job, file = held.orphan()
    (candidate,) = held.database.execute(b"SELECT candidate FROM aps.job")[0]
    held.write(candidate)
    assert held.queue.publish(job, "w2", 2, digest(CONTENT))
    return job, file


def test_the_state_says_which_is_meant_where_a_job_has_two(held: Artifacts) -> None:
    job, _ = both(held)
    assert plan(held, job).state == "confirmed_publication"
    made = plan(held, job, state="orphan_candidate")
    assert (made.state, planned(made)) == ("orphan_candidate", [str(job)])
    assert [one.commands for one in held.report(job).jobs] == [
        {
            "confirmed_publication": f"aps reconcile {job}",
            "orphan_candidate": f"aps reconcile {job} --state orphan_candidate",
        }
    ]
    other, _ = held.published("other")
    made = plan(held, job, other, state="orphan_candidate")
    assert refused(made) == {str(other): "it is in confirmed_publication, not in orphan_candidate"}


def test_jobs_that_need_two_actions_are_not_planned_at_once(held: Artifacts) -> None:
    missing, file = held.published()
    file.unlink()
    waiting, name = held.waiting()
    held.write(name)
    with pytest.raises(Usage, match="one state at a time"):
        plan(held, missing, waiting)


def test_what_a_state_does_not_permit_is_refused(held: Artifacts) -> None:
    job, _ = held.abandoned()
    assert refused(plan(held, job)) == {str(job): "its action is reclaim, not reconcile"}
    with pytest.raises(Refused, match="named jobs only"):
        plan(held, state="confirmed_publication")
    with pytest.raises(Refused, match="reclaim, not reconcile"):
        plan(held, job, state="adoption")
    with pytest.raises(Usage, match="no such evidence"):
        plan(held, state="missing_artifact", where={"nope": "1"})
    with pytest.raises(NoSuchJob):
        plan(held, 99)


def test_no_transaction_is_open_while_files_are_read(held: Artifacts) -> None:
    held.published()[1].unlink()
    open_ones = b"""SELECT count(*) FROM pg_stat_activity
                     WHERE application_name = 'aps/reconcile/plan' AND xact_start IS NOT NULL"""
    seen: list[object] = []
    for state in ("missing_artifact", "orphan_candidate", None):
        store = Meanwhile(held.root, lambda: seen.append(held.database.execute(open_ones)))
        chosen = Selection(jobs=() if state else ("1",), state=state)
        with Reconciler(held).session() as session:
            planning.plan(hasty(), session, "reconcile", chosen, held.sight(store))
    assert seen == [[(0,)]] * len(seen)
    assert len(seen) >= 2


def test_without_a_store_nothing_is_planned(held: Artifacts) -> None:
    job, _ = held.published()
    with Reconciler(held).session() as session, pytest.raises(StoreError, match="where they lie"):
        planning.plan(hasty(), session, "reconcile", Selection(jobs=(str(job),)))
