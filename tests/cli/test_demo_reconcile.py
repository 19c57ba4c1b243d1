"""The file states of the demo: each is shown, one command puts each right, and undo takes it back bit for bit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.demo import control
from aps.demo.state import Demo
from aps.exits import Exit
from aps.store import IDENTITY_NAME, QUARANTINE
from tests.support.acting import YES, Told, outcomes, parsed
from tests.support.demo import aps, own_folder

pytestmark = pytest.mark.slow

# Part of the demo to what its file is, and what one command makes of it.
CASES = {
    "failed": ("orphan_candidate", "applied"),
    "poisoned": ("orphan_candidate", "applied"),
    "removed": ("missing_artifact", "applied"),
    "truncated": ("missing_artifact", "applied"),
    "unconfirmed": ("unconfirmed_materialization", "applied"),
    "different": ("unconfirmed_materialization", "refused"),
    "absent": ("unconfirmed_materialization", "refused"),
}


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    with own_folder():
        yield control.start()[0]


def shown(demo: Demo, part: str) -> set[str]:
    """The states of its job, with the files read."""
    said = aps("inspect", str(demo.jobs[part]), "--demo", "--level", "rehashed", "--format", "json")
    (job,) = json.loads(said.stdout)["jobs"]
    return {job["state"], *job["overlays"]}


def put_right(demo: Demo, part: str) -> Told:
    """The one command."""
    words = ("reconcile", str(demo.jobs[part]), "--demo", *YES, "--format", "json")
    return parsed(aps(*words))


def back(operation: str) -> Told:
    return parsed(aps("undo", operation, "--demo", *YES, "--format", "json"))


def files(demo: Demo) -> dict[str, tuple[bytes, int]]:
    """Bytes and time of every file in the store of the demo, but the worker's that still writes."""
    root = Path(demo.store)
    return {
        file.relative_to(root).as_posix(): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in root.rglob("*")
        if file.is_file()
        and file.name != IDENTITY_NAME
        and file.parent.name != str(demo.jobs["steady"])
    }


def test_each_state_is_shown_and_one_command_puts_it_right_and_undo_takes_it_back(
    demo: Demo,
) -> None:
    stands = files(demo)
    operations = {}
    for part, (state, outcome) in CASES.items():
        assert state in shown(demo, part), part
        told = put_right(demo, part)
        assert set(outcomes(told).values()) == {outcome}, (part, told)
        assert (state in shown(demo, part)) is (outcome == "refused"), part
        operations[part] = told["operation"]
    assert "confirmed_publication" in shown(demo, "published")
    looked = aps("reconcile", str(demo.jobs["published"]), "--demo")
    assert (looked.code, ", rehashed" in " ".join(looked.stdout.split())) == (Exit.CLEAR, True)
    aside = {
        name.split("/", 2)[2]: file for name, file in files(demo).items() if QUARANTINE in name
    }
    assert {name.partition("/")[0] for name in aside} == {
        str(demo.jobs[part]) for part in ("failed", "poisoned")
    }
    assert aside == {name: stands[name] for name in aside}
    first = aps("inspect", "--demo", "--level", "rehashed", "--format", "json")
    left = {one["state"]: one["items"] for one in json.loads(first.stdout)["states"]}
    assert (left["orphan_candidate"], left["missing_artifact"], left["withdrawn"]) == (0, 0, 2)
    for part in ("failed", "poisoned"):
        assert set(outcomes(back(operations[part])).values()) == {"applied"}
    assert files(demo) == stands


def test_a_withdrawal_is_undone_once_its_file_was_put_back(demo: Demo) -> None:
    (file,) = Path(demo.store, str(demo.jobs["published"])).iterdir()
    content = file.read_bytes()
    file.unlink()
    assert "missing_artifact" in shown(demo, "published")
    told = put_right(demo, "published")
    assert (set(outcomes(told).values()), shown(demo, "published")) == ({"applied"}, {"withdrawn"})
    early = back(told["operation"])
    assert (set(outcomes(early).values()), early["exit_code"]) == (
        {"blocked"},
        Exit.NOTHING_APPLIED,
    )
    file.write_bytes(content)
    late = back(told["operation"])
    assert (set(outcomes(late).values()), late["exit_code"]) == ({"applied"}, Exit.CLEAR)
    assert shown(demo, "published") == {"confirmed_publication"}
