"""`aps reconcile` as it is typed: what is shown, refused and printed to be pasted; and `aps reclaim` with a store."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import cli
from tests.support.artifacts import CONTENT, Artifacts, digest
from tests.support.database import Database

GRACE = ("--set", "orphan_grace=0 s", "--set", "materialization_grace=0 s")


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "the store")


def call(held: Artifacts, *words: str) -> cli.Result:
    place = ("--store", str(held.root), "--dsn", held.database.dsn("aps_operate"))
    return cli.call(*words, *GRACE, *place, env={"COLUMNS": "400"})


def flat(text: str) -> str:
    return " ".join(text.split())


def typed(said: cli.Result, label: str) -> list[str]:
    """The words of the printed command."""
    line = next(line for line in said.stdout.splitlines() if line.startswith(label))
    words = shlex.split(line.removeprefix(label))
    assert words[0] == "aps"
    return words[1:]


def events(held: Artifacts) -> list[str]:
    rows = held.database.execute(b"SELECT kind FROM aps.event ORDER BY event_id")
    return [str(row[0]) for row in rows]


def test_a_publication_that_is_right_is_read_and_nothing_is_written(held: Artifacts) -> None:
    job, _ = held.published()
    before = events(held)
    # No reason is needed to look.
    for words in ((), ("--yes",)):
        said = call(held, "reconcile", str(job), *words)
        assert said.code == Exit.CLEAR, said
        assert "store file://" in said.stdout
        assert ", rehashed" in said.stdout
        assert "then:         its file is read to the last byte; nothing is written" in said.stdout
        assert "apply:" not in said.stdout
    assert events(held) == before
    assert held.database.execute(b"SELECT count(*) FROM aps_journal.batch") == [(0,)]


def test_the_preview_of_a_withdrawal_tells_what_is_missing_and_how_to_do_it(
    held: Artifacts,
) -> None:
    job, file = held.published()
    held.published("other")
    file.unlink()
    said = call(held, "reconcile", str(job))
    assert said.code == Exit.CLEAR, said
    assert "absent" in said.stdout
    assert "files:        1 of 1 that rows name are missing" in said.stdout
    assert held.state(job)[0] == "missing_artifact"
    words = typed(said, "apply:")
    assert words[:5] == ["reconcile", str(job), "--yes", "--reason", "..."]
    cli.refused(cli.call(*words), Exit.REFUSED, "says nothing")
    done = cli.call(*(word.replace("...", "file lost") for word in words))
    assert done.code == Exit.CLEAR, done
    assert held.state(job)[0] == "withdrawn"


@pytest.mark.parametrize(
    ("state", "narrowed"),
    [
        ("missing_artifact", ("--limit", "5")),
        ("orphan_candidate", ("--where", "worker=w1")),
        ("unconfirmed_materialization", ()),
    ],
)
def test_the_printed_command_of_a_bulk_preview_does_what_was_shown(
    held: Artifacts, state: str, narrowed: tuple[str, ...]
) -> None:
    held.published()[1].unlink()
    held.orphan()
    held.write(held.waiting()[1])
    said = call(held, "reconcile", "--all", "--state", state, "--level", "rehashed", *narrowed)
    assert said.code == Exit.CLEAR, said
    words = typed(said, "apply:")
    assert words.count("rehashed") == 1
    done = cli.call(*(word.replace("...", "as shown") for word in words))
    assert (done.code, "1 applied" in done.stdout) == (Exit.CLEAR, True), done


def test_what_the_first_screen_and_the_page_print_runs_as_printed(held: Artifacts) -> None:
    held.published()[1].unlink()
    orphan, _ = held.orphan()
    screen = json.loads(call(held, "inspect", "--format", "json").stdout)
    told = {one["state"]: one["do"] for one in screen["states"] if one["severity"]}
    assert set(told) == {"missing_artifact", "orphan_candidate"}
    for state, command in told.items():
        said = cli.call(*shlex.split(command)[1:], env={"COLUMNS": "400"})
        assert said.code == Exit.CLEAR, said
        assert f"reconcile · {state.replace('_', ' ')} · 1 of 1 jobs" in said.stdout
    page = call(held, "inspect", str(orphan)).stdout
    assert f"you may      aps reconcile {orphan} --set" in page
    assert "moved to quarantine; nothing is deleted" in page


def test_a_state_over_a_job_is_named_only_where_the_command_would_mean_another(
    held: Artifacts,
) -> None:
    job, _ = held.orphan()
    (candidate,) = held.database.execute(b"SELECT candidate FROM aps.job")[0]
    held.write(candidate)
    assert held.queue.publish(job, "w2", 2, digest(CONTENT))
    page = call(held, "inspect", str(job)).stdout
    lines = [line.strip() for line in page.splitlines() if "aps reconcile" in line]
    assert len(lines) == 2
    assert lines[0].startswith(f"you may      aps reconcile {job} --set")
    assert lines[1].startswith(f"aps reconcile {job} --state orphan_candidate --set")
    for line in lines:
        command = line.removeprefix("you may").strip().split("    ")[0]
        assert cli.call(*shlex.split(command)[1:]).code == Exit.CLEAR
    screen = json.loads(call(held, "inspect", "--format", "json").stdout)
    (orphan,) = [one["do"] for one in screen["states"] if one["state"] == "orphan_candidate"]
    assert f"aps reconcile {job} --state orphan_candidate " in orphan


def test_without_a_store_a_printed_reconcile_asks_for_one(held: Artifacts) -> None:
    job, _ = held.published()
    where = ("--dsn", held.database.dsn("aps_read"))
    page = cli.call("inspect", str(job), *where, env={"COLUMNS": "400"}).stdout
    assert f"aps reconcile {job} " in page
    assert " --store URL" in page
    cli.refused(cli.call("reconcile", str(job), *where), Exit.USAGE, "--store URL")
    cli.refused(
        cli.call("reconcile", str(job), "--observations", "x.json", *where),
        Exit.USAGE,
        "--observations is for looking only",
    )


def test_where_nothing_may_be_done_the_reason_is_shown(held: Artifacts) -> None:
    job, _ = held.waiting()
    said = call(held, "reconcile", str(job))
    assert said.code == Exit.NOTHING_APPLIED
    assert "every job named was refused" in said.stdout
    assert "the input file is absent" in said.stdout
    cli.refused(
        call(held, "reconcile", "--all"),
        Exit.USAGE,
        "--all needs --state",
        "unconfirmed_materialization, missing_artifact, orphan_candidate",
    )


def test_too_much_missing_is_a_refusal_and_a_database_too_old_the_stores_fault(
    held: Artifacts,
) -> None:
    for n in range(10):
        held.published(f"p{n}")[1].unlink()
    bulk = ("reconcile", "--all", "--state", "missing_artifact")
    for yes in ((), ("--yes", "--reason", "a test")):
        said = call(held, *bulk, *yes)
        cli.refused(said, Exit.REFUSED, "10 of 10 files are missing", "is the store whole")
    assert call(held, "reconcile", "1").code == Exit.CLEAR
    held.write("1/2-0123456789ab")
    cli.refused(call(held, "reconcile", "1"), Exit.STORE, "the database is older than the store")


def test_a_saved_plan_is_held_to_the_store_before_it_is_applied(
    held: Artifacts, tmp_path: Path
) -> None:
    job, file = held.published()
    file.unlink()
    saved = str(tmp_path / "plan.json")
    assert call(held, "reconcile", str(job), "--plan-out", saved).code == Exit.CLEAR
    apply = ("reconcile", "--plan", saved, "--yes", "--reason", "a test")
    ahead = held.write(f"{job}/2-0123456789ab")
    cli.refused(call(held, *apply), Exit.STORE, "older than the store")
    ahead.unlink()
    done = call(held, *apply)
    assert (done.code, held.state(job)[0]) == (Exit.CLEAR, "withdrawn"), done


def test_a_reclaim_shows_first_what_lies_over_the_job(held: Artifacts) -> None:
    job, file = held.abandoned()
    said = call(held, "reclaim", str(job))
    name = file.relative_to(held.root).as_posix()
    blocks = said.stdout.split("\n\n")
    assert flat(blocks[1]).startswith(f"first: unconfirmed result: {name} (25 bytes). The current")
    assert "nothing confirms it" in blocks[1]
    assert blocks[2].startswith("JOB ")
    assert "files:" not in said.stdout
    words = typed(said, "apply:")
    assert words[words.index("--store") + 1] == str(held.root)
    done = cli.call(*(word.replace("...", "worker lost") for word in words))
    assert done.code == Exit.CLEAR, done


def test_a_reclaim_without_a_store_says_that_nobody_looked(held: Artifacts) -> None:
    job, _ = held.abandoned()
    said = cli.call("reclaim", str(job), "--dsn", held.database.dsn("aps_operate"))
    assert "files:        nobody looked" in said.stdout
    assert "first:" not in said.stdout


def test_a_plan_in_json_tells_store_level_and_what_lies_over_each_job(held: Artifacts) -> None:
    job, _ = held.abandoned()
    plan = json.loads(call(held, "reclaim", str(job), "--format", "json").stdout)
    assert (plan["store"], plan["level"]) == (held.root.as_uri(), "listed")
    assert list(plan["jobs"][0]["overlays"]) == list(plan["meanings"]) == ["unconfirmed_result"]
    assert (plan["writes"], plan["looked"], plan["missing"]) == (True, 0, 0)
