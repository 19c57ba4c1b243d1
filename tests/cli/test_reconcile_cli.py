"""`aps reconcile`, `aps undo`, `aps log` as typed: what they refuse, what they call valid, what consumers see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.exits import Exit
from tests.support import cli
from tests.support.acting import YES, done, files, journal, outcomes, paused, typed
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database

pytestmark = pytest.mark.one_server

LEVELS = ("recorded", "listed", "attested", "rehashed")
# What a person could take for a promise about a file; `unconfirmed` and `unverified` are none.
PROMISES = re.compile(r"\b(valid|confirmed|verified|intact|correct|trusted|complete)\b", re.I)
# Said of what is not so, or of what would have to be.
DENIED = re.compile(
    r"\b(no|nobody|not|nothing|only|before)\b[^.;·]*\b(valid|confirmed|verified)\b", re.I
)


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def withdrawn(held: Artifacts, key: str = "w") -> tuple[int, Path, str]:
    """A publication whose file was lost, the file, and the operation that withdrew it."""
    job, file = held.published(key)
    file.unlink()
    told = done(held, "reconcile", str(job))
    assert outcomes(told) == {(str(job), ""): "applied"}
    return job, file, str(told["operation"])


def test_an_undo_of_nothing_is_refused(held: Artifacts) -> None:
    for words in (("undo", "0000"), ("undo", "0123abcd", *YES)):
        cli.refused(typed(held, *words), Exit.REFUSED, "there is nothing to undo")
    for wrong in ("abc", "nonsense", "--", "12345678-1234-1234-1234-1234567890123"):
        said = typed(held, "undo", wrong, *YES)
        assert said.code == Exit.USAGE, said
        assert "Traceback" not in said.stderr
    assert journal(held) == []


def test_an_undo_of_what_cannot_be_undone_is_refused(held: Artifacts) -> None:
    waiting, name = held.waiting()
    held.write(name)
    late, _ = held.abandoned("late")
    reclaimed = done(held, "reclaim", str(late))["operation"]
    confirmed = done(held, "reconcile", str(waiting))["operation"]
    job, file, lost = withdrawn(held)
    file.write_bytes(CONTENT)
    undone = done(held, "undo", lost)["operation"]
    before = journal(held)
    for operation, why in (
        (reclaimed, "cannot be undone: the old epoch is spent"),
        (confirmed, "cannot be undone: a worker may claim the job at once"),
        (undone, "is an undo itself"),
    ):
        for end in ((), YES):
            cli.refused(typed(held, "undo", operation, *end), Exit.REFUSED, operation[:8], why)
    assert journal(held) == before
    assert held.state(job)[0] == "confirmed_publication"


def test_an_undo_of_another_systems_operation_or_of_two_is_wrong_usage(held: Artifacts) -> None:
    job, file, operation = withdrawn(held)
    file.write_bytes(CONTENT)
    held.database.execute(b"UPDATE aps_journal.batch SET system = 'articles'")
    said = typed(held, "undo", operation, *YES)
    cli.refused(said, Exit.USAGE, "is of articles, not of exports: name its pack")
    held.database.execute(b"UPDATE aps_journal.batch SET system = 'exports'")
    _, _, other = withdrawn(held, "second")
    twin = operation[:8] + other[8:]
    for table in ("batch", "entry"):
        sql = f"UPDATE aps_journal.{table} SET operation = %s WHERE operation = %s"
        held.database.execute(sql.encode(), [twin, other])
    cli.refused(typed(held, "undo", operation[:8], *YES), Exit.USAGE, "the start of 2 operations")
    assert held.state(job)[0] == "withdrawn"
    assert outcomes(done(held, "undo", operation)) == {(str(job), ""): "applied"}


def test_a_successful_undo_ends_with_the_code_of_success(held: Artifacts) -> None:
    _, file, operation = withdrawn(held)
    file.write_bytes(CONTENT)
    told = done(held, "undo", operation)
    assert (told["exit_code"], told["not_verified"]) == (Exit.CLEAR, [])


def test_a_preview_of_an_undo_changes_nothing_and_prints_what_does_it(held: Artifacts) -> None:
    orphan, _ = held.orphan()
    moved = done(held, "reconcile", str(orphan))["operation"]
    job, file, lost = withdrawn(held)
    file.write_bytes(CONTENT)
    stands, entries = files(held), journal(held)
    for operation, counted in ((moved, 1), (lost, 1)):
        said = typed(held, "undo", operation)
        assert said.code == Exit.CLEAR, said
        assert (
            f"· undo · {'orphan candidate' if operation == moved else 'missing artifact'}"
            in said.stdout
        )
        assert f"{counted} of {counted} jobs" in said.stdout
        assert "nothing was changed" in said.stdout
    assert (files(held), journal(held)) == (stands, entries)
    assert held.state(job)[0] == "withdrawn"
    cli.refused(typed(held, "undo", lost, "--yes"), Exit.REFUSED, "--reason")
    assert (files(held), journal(held)) == (stands, entries)


def test_an_undo_of_files_needs_their_store(held: Artifacts) -> None:
    orphan, _ = held.orphan()
    moved = done(held, "reconcile", str(orphan))["operation"]
    stands = files(held)
    said = cli.call("undo", moved, *YES, "--dsn", held.database.dsn())
    assert said.code in (Exit.REFUSED, Exit.STORE), said
    assert "--store URL" in said.stderr
    assert files(held) == stands


def every_state(held: Artifacts) -> dict[str, tuple[int, Path]]:
    """One job of each state that a file decides, and a file that is nobody's."""
    found = {"orphan": held.orphan(), "right": held.published("right")}
    for key in ("missing", "cut", "unreadable"):
        found[key] = held.published(key)
        found[key][1].unlink()
    found["cut"][1].write_bytes(CONTENT[:-1])
    found["unreadable"][1].mkdir()
    waiting, name = held.waiting()
    found["waiting"] = (waiting, held.write(name))
    found["late"] = held.abandoned("late")
    held.write("stray")
    return found


def printed(held: Artifacts) -> Iterator[tuple[tuple[str, ...], str]]:
    """All that the commands say over these states, before, while and after they are put right."""
    found = every_state(held)

    def say(*words: str) -> tuple[tuple[str, ...], str]:
        said = typed(held, *words)
        assert "Traceback" not in said.stderr
        return words, said.stdout + said.stderr

    def looks() -> Iterator[tuple[tuple[str, ...], str]]:
        yield say("inspect")
        yield say("inspect", "--level", "rehashed")
        for job, _ in found.values():
            yield say("inspect", str(job))
            yield say("reconcile", str(job))

    yield from looks()
    for job, _ in found.values():
        yield say("reconcile", str(job), *YES)
    yield from looks()
    yield say("log")
    said = json.loads(typed(held, "log", "--format", "json").stdout)
    found["missing"][1].write_bytes(CONTENT)
    for one in said["operations"]:
        yield say("log", one["operation"])
        yield say("undo", one["operation"])
        yield say("undo", one["operation"], *YES)
        yield say("log", one["operation"])


@pytest.mark.slow
def test_nothing_is_called_valid_or_confirmed_without_its_level(held: Artifacts) -> None:
    promised = 0
    for words, text in printed(held):
        for block in text.split("\n\n"):
            for line in filter(PROMISES.search, block.splitlines()):
                if DENIED.search(line):
                    continue
                promised += 1
                near = line if words == ("inspect",) else text
                assert any(level in near for level in LEVELS), (words, line)
        if words[0] == "inspect" and len(words) == 1:
            assert re.search(r"confirmed publication \d+ in 24 h \(listed\)", text)
    assert promised > 10


VALID = b"SELECT job_id FROM aps.valid_result ORDER BY job_id"
WRONG = b"""SELECT v.job_id FROM aps.valid_result v JOIN aps.job j USING (job_id)
  WHERE j.state <> 'complete' OR j.withdrawn_at IS NOT NULL OR j.published_name IS DISTINCT FROM v.name
     OR v.epoch <> j.epoch OR EXISTS (SELECT FROM aps.attempt a WHERE a.job_id = v.job_id AND a.epoch > v.epoch)"""


@pytest.mark.slow
def test_a_consumer_sees_no_result_that_is_withdrawn_superseded_or_unpublished(
    held: Artifacts,
) -> None:
    orphan, _ = held.orphan()
    right, _ = held.published("right")
    lost, file = held.published("lost")
    held.abandoned("late")
    held.waiting()
    file.unlink()

    def seen() -> list[int]:
        assert held.database.execute(WRONG) == []
        return [row[0] for row in held.database.execute(VALID)]

    for step in ("committed", "moved", "asked", "closed"):
        with paused(held, step, "reconcile", str(orphan)) as process:
            process.reached()
            assert seen() == [right, lost]
            operation = json.loads(process.finish().stdout)["operation"]
        done(held, "undo", operation)
    for step, during in (
        ("locked", [right, lost]),
        ("journaled", [right, lost]),
        ("committed", [right]),
    ):
        with paused(held, step, "reconcile", str(lost)) as process:
            process.reached()
            assert seen() == during
            operation = json.loads(process.finish().stdout)["operation"]
        assert seen() == [right]
        file.write_bytes(CONTENT)
        with paused(held, step, "undo", operation) as process:
            process.reached()
            assert seen() == ([right, lost] if step == "committed" else [right])
            process.finish()
        assert seen() == [right, lost]
        file.unlink()
