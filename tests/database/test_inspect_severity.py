"""How bad: by count or by age, of a state and of a job; and the exit code, wherever in the matrix the worst stands."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database
from tests.support.queue import queue

READY = "severity: {warning: {age: 15 min}, critical: {age: 2 h}}"
ADOPTION = "severity: {warning: 1, critical: {age: 15 min}}"
CRITICAL_READY = {READY: "severity: {critical: 1}"}
WORST = {"warning": Exit.WARNING, "critical": Exit.CRITICAL, "undetermined": Exit.UNDETERMINED}
RANK = ("critical", "undetermined", "warning")
MIXES = [mix for size in (1, 2, 3) for mix in itertools.combinations(RANK, size)]


def inspect(database: Database, *words: str, pack: str = "aps") -> dict[str, Any]:
    said = cli.call(
        *("inspect", *words, "--pack", pack, "--format", "json"),
        *("--dsn", database.dsn("aps_read")),
    )
    report: dict[str, Any] = json.loads(said.stdout)
    assert said.code == report["exit_code"]
    return report


def severity(report: dict[str, Any], name: str) -> str | None:
    level: str | None = next(one["severity"] for one in report["states"] if one["state"] == name)
    return level


def reversed_states(pack: str) -> None:
    """The same matrix, its last state first."""
    file = Path(pack) / "matrix.yaml"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["states"] = dict(reversed(content["states"].items()))
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


@pytest.mark.parametrize("last", [False, True], ids=["as shipped", "reversed"])
@pytest.mark.parametrize("mix", MIXES, ids="+".join)
@pytest.mark.one_server
def test_the_exit_code_is_the_worst_wherever_it_stands_in_the_matrix(
    database: Database, tmp_path: Path, mix: tuple[str, ...], last: bool
) -> None:
    broken = {"failed": "SELECT job_id, no_such_column FROM aps.job"}
    pack = trouble.pack(tmp_path, broken if "undetermined" in mix else {}, CRITICAL_READY)
    if last:
        reversed_states(pack)
    if "warning" in mix:
        trouble.abandoned(database)
    if "critical" in mix:
        trouble.ready(database)
    assert inspect(database, pack=pack)["exit_code"] == WORST[min(mix, key=RANK.index)]


def test_a_queue_without_trouble_needs_nobody(database: Database) -> None:
    trouble.ready(database)
    trouble.leased(database, "l")
    assert inspect(database)["exit_code"] == Exit.CLEAR


@pytest.mark.parametrize(
    ("ago", "level"), [("1 min", "warning"), ("14 min", "warning"), ("16 min", "critical")]
)
def test_a_state_is_as_bad_as_its_oldest_job(database: Database, ago: str, level: str) -> None:
    trouble.abandoned(database, "old", ago=ago)
    trouble.abandoned(database, "young", ago="1 s")
    report = inspect(database)
    assert severity(report, "adoption") == level
    found = next(one for one in report["states"] if one["state"] == "adoption")
    assert found["jobs"] == 2


@pytest.mark.parametrize(("jobs", "level"), [(1, None), (2, "warning"), (3, "critical")])
def test_a_state_is_as_bad_as_its_count(
    database: Database, tmp_path: Path, jobs: int, level: str | None
) -> None:
    counted = {ADOPTION: "severity: {warning: 2, critical: {count: 3, age: 15 min}}"}
    pack = trouble.pack(tmp_path, {}, counted)
    for number in range(jobs):
        trouble.abandoned(database, f"a{number}")
    assert severity(inspect(database, pack=pack), "adoption") == level


def test_an_age_that_nobody_knows_is_no_age_at_all(database: Database, tmp_path: Path) -> None:
    ageless = "SELECT job_id, NULL::timestamptz AS since FROM aps.job WHERE state = 'ready'"
    pack = trouble.pack(tmp_path, {"ready": ageless})
    trouble.ready(database)
    report = inspect(database, pack=pack)
    found = next(one for one in report["states"] if one["state"] == "ready")
    assert (found["jobs"], found["oldest_seconds"], found["severity"]) == (1, None, None)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_named_jobs_end_with_the_worst_of_them_in_any_order(
    database: Database, order: tuple[int, int]
) -> None:
    jobs = [trouble.abandoned(database, ago="20 min"), trouble.ready(database)]
    report = inspect(database, *(jobs[place] for place in order))
    assert report["exit_code"] == Exit.CRITICAL
    assert inspect(database, jobs[1])["exit_code"] == Exit.CLEAR


def test_the_worst_state_comes_first_on_the_screen(database: Database) -> None:
    trouble.abandoned(database, "a", ago="20 min")
    worked = queue(database)
    late = worked.claimed("w5", "-1 s", "late")
    worked.publish(late["job_id"], "w5", late["epoch"])
    report = inspect(database)
    assert [one["state"] for one in report["states"] if one["severity"]] == [
        "adoption",
        "rejected_result",
    ]
    assert report["jobs"][0]["severity"] == "critical"
