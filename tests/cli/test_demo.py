"""The queue of `aps demo`, and what its commands make of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.demo import control
from aps.demo.state import Demo
from tests.support.demo import aps, events, look, own_folder, row
from tests.support.watching import eventually

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shared() -> Iterator[Demo]:
    """A demo for tests that only look."""
    with own_folder():
        yield control.start()[0]


@pytest.fixture
def demo() -> Iterator[Demo]:
    """A demo for one test."""
    with own_folder():
        yield control.start()[0]


def test_every_state_exists_because_a_process_made_it(shared: Demo) -> None:
    counts = {found.state: found.jobs for found in look(shared).states if found.verdict == "found"}
    assert counts == {
        "poisoned": 1,
        "repeat_abandonment": 1,
        "adoption": 2,
        "live_lease": 1,
        "ready": 7,
        "confirmed_publication": 5,
        "failed": 1,
        "cancelled": 1,
        "cancelled_still_leased": 1,
        "unconfirmed_materialization": 3,
    }


def test_every_state_of_files_exists_because_something_happened_to_one(shared: Demo) -> None:
    shown = aps("inspect", "--demo", "--level", "rehashed", "--format", "json")
    states = {one["state"]: one for one in json.loads(shown.stdout)["states"]}
    counts = {name: one["items"] for name, one in states.items() if one["level"] and one["items"]}
    assert counts == {
        "missing_artifact": 2,
        "confirmed_publication": 3,
        "unconfirmed_materialization": 3,
        "orphan_candidate": 3,
        "unconfirmed_result": 3,
        "stray_file": 1,
    }


@pytest.mark.parametrize(
    ("part", "told"),
    {
        "removed": "problem absent",
        "truncated": "problem other digest",
        "different": "the input file has another digest",
        "absent": "the input file is absent",
        "stopped": "unconfirmed result",
        "poisoned": "orphan candidate",
    }.items(),
)
def test_what_happened_to_a_file_is_told_with_its_job(shared: Demo, part: str, told: str) -> None:
    shown = aps("inspect", str(shared.jobs[part]), "--demo", "--level", "rehashed")
    assert told in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("part", "state"),
    {
        "poisoned": "poisoned",
        "killed": "adoption",
        "stopped": "adoption",
        "steady": "live_lease",
        "cancelled": "cancelled",
        "failed": "failed",
        "released": "ready",
        "published": "confirmed_publication",
        "unconfirmed": "unconfirmed_materialization",
    }.items(),
)
def test_each_part_is_played_by_one_job(shared: Demo, part: str, state: str) -> None:
    assert [job.state for job in look(shared, part).jobs] == [state]


def test_the_events_tell_how_each_job_came_to_its_state(shared: Demo) -> None:
    accepted = ("accepted", None)
    assert events(shared, "poisoned") == [accepted, ("claimed", 1), ("adopted", 2), ("adopted", 3)]
    assert events(shared, "killed") == [accepted, ("claimed", 1)]
    assert events(shared, "released") == [accepted, ("claimed", 1), ("released", 1)]
    assert events(shared, "cancelled") == [accepted, ("claimed", 1), ("cancelled", 1)]
    assert events(shared, "failed")[1:] == [("confirmed", None), ("claimed", 1), ("failed", 1)]


def test_a_loss_in_hand_is_counted_apart_from_the_closed_ones(shared: Demo) -> None:
    (job,) = look(shared, "poisoned").jobs
    assert job.evidence["poisoned"][0]["abandoned"] == "3"
    assert job.evidence["repeat_abandonment"][0]["closed_abandonments"] == "2"
    assert "abandoned" not in job.evidence["repeat_abandonment"][0]


def test_the_steady_worker_renews_its_lease(shared: Demo) -> None:
    before = row(shared, "steady")
    assert eventually(lambda: row(shared, "steady") != before)
    assert set(events(shared, "steady")[2:]) == {("progressed", 1)}


def test_the_candidate_of_a_killed_worker_is_half_written(shared: Demo) -> None:
    def sizes(part: str) -> list[int]:
        folder = Path(shared.store, str(shared.jobs[part]))
        return [file.stat().st_size for file in folder.iterdir()]

    (killed,), (published,) = sizes("killed"), sizes("published")
    assert killed < published


def test_the_first_screen_names_each_state_and_what_to_type_next(shared: Demo) -> None:
    shown = aps("demo")
    assert shown.code == 0
    assert "the demo runs already" in shown.stderr
    for words in (
        "poisoned",
        "adoption",
        "repeat abandonment",
        "live lease 1",
        "ready 7",
        "confirmed publication 4",
        "missing artifact (listed)",
        f"aps inspect {shared.jobs['killed']} --demo",
        f"aps reclaim {shared.jobs['killed']} --demo",
        "aps demo resume",
        "aps demo work",
        "aps demo stop",
    ):
        assert words in shown.stdout


def test_a_resumed_worker_is_refused_and_its_job_is_unchanged(demo: Demo) -> None:
    before = row(demo, "stopped")
    shown = aps("demo", "resume")
    assert shown.code == 0
    assert "w8 woke: its publication for job" in shown.stdout
    assert row(demo, "stopped") == before
    assert events(demo, "stopped")[-1] == ("rejected", 1)
    assert "rejected_result" in look(demo, "stopped").jobs[0].overlays
    assert "rejected result" in aps("inspect", "--demo").stdout
    again = aps("demo", "resume")
    assert "w8 was awake already" in again.stdout
    standing = "still stands under epoch 1, its lease over; the rejected write changed nothing"
    assert standing in shown.stdout
    assert standing in again.stdout
    assert len(events(demo, "stopped")) == 3


def test_a_reclaimed_job_is_finished_under_a_higher_epoch(demo: Demo) -> None:
    killed = str(demo.jobs["killed"])
    left = [row(demo, part) for part in ("stopped", "poisoned")]
    assert aps("reclaim", killed, "--yes", "--reason", "its worker died", "--demo").code == 0
    worked = aps("demo", "work").stdout.splitlines()
    assert len(worked) == 8
    (told,) = (line for line in worked if line.startswith(f"job {killed} "))
    assert f"published under epoch 3: {killed}/3-" in told
    assert Path(demo.store, told.split()[-1]).is_file()
    assert [row(demo, part) for part in ("stopped", "poisoned")] == left
    assert aps("demo", "work").stdout.startswith("nothing was ready")


def test_the_hints_follow_the_demo_as_it_stands(demo: Demo) -> None:
    def hints() -> str:
        return aps("demo").stdout.partition("try next:")[2]

    killed, stopped = demo.jobs["killed"], demo.jobs["stopped"]
    assert aps("reclaim", str(killed), "--yes", "--reason", "it died", "--demo").code == 0
    aps("demo", "work")
    now = hints()
    assert f"aps reclaim {stopped} --demo" in now
    assert f"aps reclaim {killed} " not in now
    assert "aps demo work" not in now
    assert "aps demo resume" in now
    aps("demo", "resume")
    assert "aps demo resume" not in hints()
    assert aps("reclaim", str(stopped), "--yes", "--reason", "it was late", "--demo").code == 0
    now = hints()
    assert "aps reclaim" not in now
    assert "aps demo work" in now
    aps("demo", "work")
    while files := [line.split("  ")[1] for line in hints().splitlines() if "reconcile" in line]:
        done = aps(*files[0].split()[1:], "--yes", "--reason", "as it was told")
        assert done.stdout.count("applied") > 1, done
    left = [line.split("  ")[1] for line in hints().splitlines() if line]
    assert left == ["aps inspect --demo --level rehashed", "aps demo stop"]
    assert f"job {stopped} is complete under epoch 3; " in aps("demo", "resume").stdout
