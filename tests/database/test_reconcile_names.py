"""Names that rows should not hold, and names that two rows hold: never a reason to move a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aps.exits import Exit
from aps.store import IDENTITY_NAME, QUARANTINE
from tests.support.acting import (
    YES,
    done,
    files,
    open_intents,
    outcomes,
    parsed,
    typed,
    untouched,
)
from tests.support.artifacts import CONTENT, Artifacts
from tests.support.database import Database

pytestmark = pytest.mark.one_server


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(CONTENT)
    return Artifacts.bound(database, tmp_path / "store")


def unguarded(held: Artifacts) -> None:
    """Rows may say anything: somebody wrote past every guard."""
    held.database.execute(
        b"ALTER TABLE aps.attempt DROP CONSTRAINT candidate_of_this_epoch,"
        b" DROP CONSTRAINT attempt_candidate_key"
    )
    held.database.execute(
        b"ALTER TABLE aps.job DROP CONSTRAINT published_name_of_this_epoch,"
        b" DROP CONSTRAINT input_name_is_plain"
    )
    held.database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER USER")


def superseded(held: Artifacts, name: str, key: str) -> int:
    """The job of an attempt that holds that name, and whose epoch is over."""
    claim = held.queue.claimed("w1", "-1 min", key)
    assert held.queue.adopt("w2")
    sql = b"UPDATE aps.attempt SET candidate = %s WHERE (job_id, epoch) = (%s, 1)"
    held.database.execute(sql, [name, claim["job_id"]])
    return int(claim["job_id"])


def climbing(_: Artifacts) -> str:
    return "../outside/secret"


def climbing_back(_: Artifacts) -> str:
    return "1/../../outside/secret"


def absolute(held: Artifacts) -> str:
    return str(held.root.parent / "outside" / "secret")


def control(held: Artifacts) -> str:
    held.write("1/1-a\x1b[2J\nb")
    return "1/1-a\x1b[2J\nb"


def link_outside(held: Artifacts) -> str:
    (held.root / "1").mkdir(exist_ok=True)
    (held.root / "1" / "out").symlink_to(held.root.parent / "outside" / "secret")
    return "1/out"


def link_inside(held: Artifacts) -> str:
    held.write("others/file")
    (held.root / "in").symlink_to(held.root / "others" / "file")
    return "in"


def folder_link(held: Artifacts) -> str:
    (held.root / "way").symlink_to(held.root.parent / "outside")
    return "way/secret"


def folder(held: Artifacts) -> str:
    held.write("1/folder/file")
    return "1/folder"


def fifo(held: Artifacts) -> str:
    os.mkfifo(held.root / "pipe")
    return "pipe"


def identity(_: Artifacts) -> str:
    return IDENTITY_NAME


def quarantined(held: Artifacts) -> str:
    held.write(f"{QUARANTINE}/earlier/1/1-a")
    return f"{QUARANTINE}/earlier/1/1-a"


HOSTILE = [
    climbing,
    climbing_back,
    absolute,
    control,
    link_outside,
    link_inside,
    folder_link,
    folder,
    fifo,
    identity,
    quarantined,
]


def seen(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every entry below the folder: what it is, which inode, of what size."""
    entries = ((path, path.lstat()) for path in root.rglob("*"))
    return {str(path): (one.st_mode, one.st_ino, one.st_size) for path, one in entries}


def made(held: Artifacts) -> list[str]:
    """Every hostile name, with what lies there, and beside them one that no row can hold."""
    unguarded(held)
    (held.root / os.fsdecode(b"1/caf\xe9")).parent.mkdir(exist_ok=True)
    (held.root / os.fsdecode(b"1/caf\xe9")).write_bytes(CONTENT)
    return [one(held) for one in HOSTILE]


def test_an_orphan_of_a_hostile_name_is_never_acted_on_and_is_told(held: Artifacts) -> None:
    jobs = [str(superseded(held, name, f"h{n}")) for n, name in enumerate(made(held))]
    before = seen(held.root.parent)
    for words, code in (
        (("reconcile", *jobs), Exit.REFUSED),
        (("reconcile", *jobs, "--state", "orphan_candidate"), Exit.REFUSED),
        (("reconcile", "--all", "--state", "orphan_candidate"), Exit.NOTHING_APPLIED),
    ):
        said = typed(held, *words, *YES)
        assert said.code == code, said
        assert "\x1b" not in said.stdout + said.stderr
    assert seen(held.root.parent) == before
    assert untouched(held, files(held))
    told = typed(held, "inspect").stdout
    assert "(not UTF-8): 1/caf\\xe9" in told
    assert "5 entries of the store are no files that can be judged" in told
    assert "\x1b" not in told


def test_a_publication_or_an_input_of_a_hostile_name_is_never_acted_on(held: Artifacts) -> None:
    names = made(held)
    jobs = []
    for n, name in enumerate(names):
        job, file = held.published(f"p{n}")
        file.unlink()
        held.database.execute(
            b"UPDATE aps.job SET published_name = %s WHERE job_id = %s", [name, job]
        )
        waiting, _ = held.waiting(f"i{n}")
        held.database.execute(
            b"UPDATE aps.job SET input_name = %s WHERE job_id = %s", [name, waiting]
        )
        jobs += [
            (str(job), "unverified_publication"),
            (str(waiting), "unconfirmed_materialization"),
        ]
    before = seen(held.root.parent)
    for state in dict(jobs).values():
        told = parsed(
            typed(
                held,
                "reconcile",
                *[job for job, its in jobs if its == state],
                *YES,
                "--format",
                "json",
            )
        )
        assert told["counts"] == {"refused": len(HOSTILE)}, told
    assert seen(held.root.parent) == before
    assert untouched(held, files(held))
    valid = held.database.execute(b"SELECT count(*) FROM aps.valid_result")
    assert valid == [(len(HOSTILE),)]


def test_a_name_of_two_attempts_that_are_over_is_moved_once(held: Artifacts) -> None:
    unguarded(held)
    first, file = held.orphan("one")
    name = file.relative_to(held.root).as_posix()
    second = superseded(held, name, "two")
    told = done(held, "reconcile", str(first), str(second))
    assert sorted(outcomes(told).values()) == ["already", "applied"]
    assert files(held) == {f"{QUARANTINE}/{told['operation']}/{name}": CONTENT}
    assert open_intents(held) == 0
    back = done(held, "undo", told["operation"])
    assert sorted(outcomes(back).values()) == ["already", "applied"]
    assert files(held) == {name: CONTENT}


@pytest.mark.parametrize("column", ["published_name", "input_name"])
def test_a_name_that_a_publication_or_an_input_holds_too_is_left_alone(
    held: Artifacts, column: str
) -> None:
    unguarded(held)
    orphan, file = held.orphan()
    name = file.relative_to(held.root).as_posix()
    other, its = held.published("other") if column == "published_name" else held.waiting("other")
    (held.root / its).unlink(missing_ok=True)
    sql = f"UPDATE aps.job SET {column} = %s WHERE job_id = %s"
    held.database.execute(sql.encode(), [name, other])
    stands = files(held)
    for words in ((str(orphan),), ("--all", "--state", "orphan_candidate")):
        said = typed(held, "reconcile", *words, *YES)
        assert said.code in (Exit.REFUSED, Exit.NOTHING_APPLIED), said
    assert untouched(held, stands)


def test_the_candidate_of_a_living_epoch_is_left_alone_while_its_jobs_orphan_is_moved(
    held: Artifacts,
) -> None:
    job, file = held.orphan()
    (current,) = held.database.execute(b"SELECT candidate FROM aps.job")[0]
    alive = held.write(current, b"half")
    before = seen(alive.parent)[str(alive)]
    told = done(held, "reconcile", "--all", "--state", "orphan_candidate")
    assert outcomes(told) == {(str(job), file.relative_to(held.root).as_posix()): "applied"}
    assert (seen(alive.parent)[str(alive)], alive.read_bytes()) == (before, b"half")
