"""Many files at once: a store in doubt, a database in doubt, two operators, and one who loses patience."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from aps.exits import Exit
from aps.model.operation import Operation
from aps.store import QUARANTINE
from tests.support import cli
from tests.support.acting import (
    YES,
    Told,
    done,
    files,
    open_intents,
    outcomes,
    parsed,
    paused,
    typed,
    untouched,
    words,
)
from tests.support.artifacts import Artifacts
from tests.support.database import Database
from tests.support.many import orphans
from tests.support.operating import at
from tests.support.reconciling import Reconciler

BULK = ("reconcile", "--all", "--state", "orphan_candidate", "--limit", "1000")


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def test_where_forty_of_forty_are_missing_only_a_named_one_is_withdrawn(held: Artifacts) -> None:
    jobs = []
    for n in range(40):
        job, file = held.published(f"p{n}")
        file.unlink()
        jobs.append(str(job))
    for chosen in (
        ("--all", "--state", "missing_artifact"),
        ("--all", "--state", "missing_artifact", "--limit", "1"),
    ):
        said = typed(held, "reconcile", *chosen, *YES)
        cli.refused(said, Exit.REFUSED, "40 of 40 files are missing", "One job that is named")
    cli.refused(typed(held, "reconcile", *jobs, *YES), Exit.REFUSED, "40 of 40 files are missing")
    valid = b"SELECT count(*) FROM aps.valid_result"
    assert (untouched(held, {}), held.database.execute(valid)) == (True, [(40,)])
    assert outcomes(done(held, "reconcile", jobs[3])) == {(jobs[3], ""): "applied"}
    assert held.database.execute(valid) == [(39,)]


def test_where_the_database_is_older_only_what_is_not_of_files_goes_on(held: Artifacts) -> None:
    orphan, _ = held.orphan()
    late, ahead = (str(held.abandoned(key)[0]) for key in ("late", "ahead"))
    missing, lost = held.published("missing")
    lost.unlink()
    waiting, name = held.waiting()
    held.write(name)
    held.write(f"{ahead}/9-0123456789ab")
    stands = files(held)
    for chosen in (
        *((str(job),) for job in (missing, waiting, orphan)),
        *(("--all", "--state", state) for state in ("missing_artifact", "orphan_candidate")),
        ("--all", "--state", "unconfirmed_materialization"),
    ):
        cli.refused(typed(held, "reconcile", *chosen, *YES), Exit.STORE, "older than the store")
    assert untouched(held, stands)
    refused = parsed(typed(held, "reclaim", ahead, *YES, "--format", "json"))
    assert (refused["exit_code"], outcomes(refused)) == (Exit.REFUSED, {(ahead, ""): "refused"})
    assert "epoch 9" in refused["rows"][0]["detail"]
    assert outcomes(done(held, "reclaim", late)) == {(late, ""): "applied"}
    assert files(held) == stands


def together(held: Artifacts, count: int) -> list[Told]:
    """The same command in so many processes at once."""
    argv = cli.argv(*words(held, *BULK), *YES, "--batch", "20", "--format", "json")
    started = [
        subprocess.Popen(
            argv, env=cli.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(count)
    ]
    ended = [process.communicate(timeout=cli.TIMEOUT) for process in started]
    assert not [err for _, err in ended if b"Traceback" in err]
    return [json.loads(out) for out, _ in ended]


@pytest.mark.one_server
@pytest.mark.slow
def test_of_two_processes_at_once_each_orphan_is_moved_by_one(held: Artifacts) -> None:
    stands = orphans(held, 200)
    both = together(held, 2)
    for name in stands:
        job = name.partition("/")[0]
        told = [outcomes(one).get((job, name), "already") for one in both]
        assert told.count("applied") == 1, (name, told)
        assert set(told) <= {"applied", "already", "locked"}, (name, told)
    assert sum(one["counts"].get("applied", 0) for one in both) == 200
    lying = files(held)
    assert {name.split("/", 2)[2] for name in lying} == set(stands)
    assert all(content == stands[name.split("/", 2)[2]] for name, content in lying.items())
    assert open_intents(held) == 0
    rows = held.database.execute(
        b"SELECT sum(applied) <= max(planned) FROM aps_journal.batch GROUP BY operation"
    )
    assert {row[0] for row in rows} == {True}
    assert typed(held, *BULK, *YES).code == Exit.NOTHING_APPLIED
    for one in both:
        done(held, "undo", one["operation"])
    assert files(held) == stands


@pytest.mark.one_server
@pytest.mark.parametrize("step", ["committed", "moved", "removed", "journaled:2"])
def test_an_operation_at_work_is_not_settled_by_another(held: Artifacts, step: str) -> None:
    """As dead it would be told to have moved nothing, or to have moved it twice."""
    (name,) = orphans(held, 1)
    with paused(held, step, "reconcile", "1") as first:
        first.reached()
        other = typed(held, "reconcile", "1", *YES)
        one = parsed(first.finish())
    assert "settled" not in other.stderr
    (told,) = outcomes(one).values()
    assert (told, other.code) == {
        "committed": ("already", Exit.CLEAR),
    }.get(step, ("applied", Exit.REFUSED))
    (logged, *_) = json.loads(typed(held, "log", "--format", "json").stdout)["operations"]
    assert (logged["applied"], logged["planned"], logged["open"]) == (1, 1, 0)
    (place,) = files(held)
    assert place == f"{QUARANTINE}/{logged['operation']}/{name}"
    assert outcomes(done(held, "undo", logged["operation"])) == {("1", name): "applied"}


@pytest.mark.parametrize(
    ("step", "settled", "told"),
    [("committed", "refused", "changed"), ("moved", "applied", "already")],
)
def test_one_that_is_taken_for_dead_tells_what_the_journal_tells(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch, step: str, settled: str, told: str
) -> None:
    """Behind a pooler, or another network, its session is not seen."""
    stands = orphans(held, 1)
    monkeypatch.setattr("aps.journal.running", lambda *_: [])
    others: list[Operation] = []
    pause = at(step, lambda: others.extend(Reconciler(held).settle()))
    first = Reconciler(held, pause=pause).reconcile(1)
    assert [row.outcome for one in others for row in one.rows] == [settled]
    (row,) = first.rows
    assert row.outcome == told
    if told == "changed":
        assert "moved back" in row.detail
        assert files(held) == stands
    counted = held.database.execute(b"SELECT sum(applied) FROM aps_journal.batch")
    assert counted == [(1 if settled == "applied" else 0,)]
    assert open_intents(held) == 0
    typed(held, "undo", first.operation, *YES)
    assert files(held) == stands


@pytest.mark.one_server
def test_ctrl_c_between_two_files_leaves_the_rest_where_it_lies(held: Artifacts) -> None:
    stands = orphans(held, 4)
    with paused(held, "moved:2", "reconcile", "1", "2", "3", "4") as process:
        process.reached()
        process.interrupt()
        result = process.finish()
    told = parsed(result)
    assert (result.code, told["interrupted"]) == (Exit.INTERRUPTED, True)
    assert [row["outcome"] for row in told["rows"]] == ["applied"] * 2 + ["refused"] * 2
    assert {row["detail"] for row in told["rows"][2:]} == {"not moved: interrupted"}
    operation = told["operation"]
    moved = {f"{QUARANTINE}/{operation}/{name}" for name in ("1/1-a", "2/1-a")}
    assert set(files(held)) == moved | {"3/1-a", "4/1-a"}
    assert open_intents(held) == 0
    assert typed(held, "log", operation).code == Exit.CLEAR
    rest = done(held, *BULK)
    assert set(outcomes(rest)) == {("3", "3/1-a"), ("4", "4/1-a")}
    for one in (operation, rest["operation"]):
        done(held, "undo", one)
    assert files(held) == stands


@pytest.mark.one_server
def test_a_second_ctrl_c_leaves_unknown_what_the_log_can_place(held: Artifacts) -> None:
    stands = orphans(held, 3)
    with paused(held, "linked:2", "reconcile", "1", "2", "3") as process:
        process.reached()
        process.insist()
        result = process.wait()
    told = parsed(result)
    assert (result.code, told["counts"]) == (Exit.UNKNOWN, {"unknown": 3})
    operation = told["operation"]
    assert set(files(held).values()) == set(stands.values())
    assert open_intents(held) == 3
    said = typed(held, "log", operation, "--format", "json")
    places = {one["item"]: one["detail"] for one in json.loads(said.stdout)["entries"]}
    aside = f"{QUARANTINE}/{operation}"
    assert said.code == Exit.UNKNOWN
    assert places["1/1-a"].endswith(f"it lies at {aside}/1/1-a")
    assert places["2/1-a"].endswith(f"it lies at 2/1-a and at {aside}/2/1-a")
    assert places["3/1-a"].endswith("it lies at 3/1-a")
    # The undo settles first, then takes back what turned out to be moved.
    back = typed(held, "undo", operation, *YES)
    assert (back.code, "settled now" in back.stderr) == (Exit.CLEAR, True), back
    assert (files(held), open_intents(held)) == (stands, 0)
