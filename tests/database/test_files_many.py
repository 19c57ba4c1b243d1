"""More files than one chunk holds, and listings that another tool made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aps import store
from aps.exits import Exit
from aps.files import claimed
from tests.support import cli
from tests.support.artifacts import CONTENT, Artifacts, digest
from tests.support.database import Database

MANY = 12_000
GONE = range(1, MANY + 1, 1000)
JOBS = b"""
INSERT INTO aps.job (job_id, request_key, kind, state, epoch, published_name, published_digest, published_epoch,
                     published_at, ready_at, finished_at)
OVERRIDING SYSTEM VALUE
SELECT n, 'r' || n, 'export', 'complete', 1, n || '/1-abcdefabcdef', %s, 1, now() - n * interval '1 s', now(), now()
  FROM generate_series(1, %s) n"""
ATTEMPTS = b"""
INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
SELECT job_id, 1, 'w1', published_name, now(), 'published' FROM aps.job"""


@pytest.fixture
def held(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def fill(held: Artifacts, jobs: int) -> None:
    held.database.execute(JOBS, [digest(b""), jobs])
    held.database.execute(ATTEMPTS)
    for job in range(1, jobs + 1):
        (held.root / str(job)).mkdir()
        (held.root / str(job) / "1-abcdefabcdef").touch()


@pytest.mark.slow
@pytest.mark.one_server
def test_counts_oldest_and_first_jobs_are_merged_over_chunks(held: Artifacts) -> None:
    fill(held, MANY)
    for job in GONE:
        (held.root / str(job) / "1-abcdefabcdef").unlink()
    for stray in ("0/first", "zz/last"):
        held.write(stray)
    report = held.report(sight=held.sight(rehash=False), limit=5)
    found = {one.state: one for one in report.states}
    missing = found["missing_artifact"]
    assert (missing.jobs, missing.looked, missing.claimed) == (len(GONE), MANY, MANY)
    assert found["confirmed_publication"].jobs == MANY - len(GONE)
    assert found["stray_file"].items == 2
    assert found["stray_file"].samples == ("0/first", "zz/last")
    # Published for longest: the greatest ids.
    assert [job.job for job in report.jobs] == [str(job) for job in sorted(GONE, reverse=True)[:5]]
    assert (missing.oldest_seconds or 0) >= max(GONE)


def test_rows_of_one_name_are_never_parted(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(held, 7)
    held.database.execute(b"ALTER TABLE aps.job DROP CONSTRAINT published_name_of_this_epoch")
    held.database.execute(b"ALTER TABLE aps.job DISABLE TRIGGER guard_job")
    held.database.execute(b"UPDATE aps.job SET published_name = 'same' WHERE job_id IN (2, 3, 4)")
    monkeypatch.setattr(claimed, "CHUNK", 2)
    found = held.finding("missing_artifact")
    assert (found.jobs, found.looked, found.claimed) == (3, 5, 5)


def test_the_next_chunk_begins_behind_the_last_name(
    held: Artifacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, name in {"a": "B/x", "b": "a/x", "c": "Z/x", "d": "é/x", "e": "b/x"}.items():
        job, _ = held.waiting(key)
        held.database.execute(b"UPDATE aps.job SET input_name = %s WHERE job_id = %s", [name, job])
    monkeypatch.setattr(claimed, "CHUNK", 1)
    assert held.finding("unconfirmed_materialization").jobs == 5


def listing(path: Path, entries: dict[str, bytes], *, hashes: bool = True) -> Path:
    held = [
        {
            "Path": name,
            "Size": len(content),
            "IsDir": False,
            **({"Hashes": {"sha256": digest(content).removeprefix("sha256:")}} if hashes else {}),
        }
        for name, content in entries.items()
    ]
    path.write_text(json.dumps(held))
    return path


def test_a_listing_is_looked_at_in_the_stores_place(held: Artifacts, tmp_path: Path) -> None:
    right, file = held.published("right")
    gone, _ = held.published("gone")
    other, changed = held.published("other")
    names = [one.relative_to(held.root).as_posix() for one in (file, changed)]
    made = listing(tmp_path / "ls.json", {names[0]: CONTENT, names[1]: b"x", "stray": b""})
    sight = held.sight(store.observed(str(made)), rehash=False)
    report = held.report(right, gone, other, sight=sight)
    states = ["confirmed_publication", "missing_artifact", "missing_artifact"]
    assert [job.state for job in report.jobs] == states
    assert report.jobs[0].evidence["confirmed_publication"][0]["level"] == "attested"
    assert report.store.level == "attested"
    assert "which store it lists is not checked" in " ".join(report.store.notes)
    assert held.finding("stray_file", sight=sight).items == 1


def test_a_listing_without_hashes_is_no_more_than_listed(held: Artifacts, tmp_path: Path) -> None:
    _, file = held.published()
    name = file.relative_to(held.root).as_posix()
    made = listing(tmp_path / "ls.json", {name: CONTENT}, hashes=False)
    words = ("--observations", str(made), "--dsn", held.database.dsn("aps_read"))
    said = cli.call("inspect", *words)
    assert said.code == Exit.CLEAR
    assert f"observations:{made}, listed" in said.stdout.replace("\n  ", " ")
    assert "confirmed publication 1 in 24 h (listed)" in " ".join(said.stdout.split())
    cli.refused(cli.call("inspect", "--level", "rehashed", *words), Exit.USAGE, "no bytes to read")
    listed = cli.call("inspect", "--state", "missing_artifact", *words).stdout
    assert "missing artifact (listed): no jobs in 24 h" in listed


def test_a_faulty_listing_ends_with_the_code_of_the_store(held: Artifacts, tmp_path: Path) -> None:
    (tmp_path / "ls.json").write_text("[]")
    words = ("--observations", str(tmp_path / "ls.json"), "--dsn", held.database.dsn("aps_read"))
    cli.refused(cli.call("inspect", *words), Exit.STORE, "the listing is empty")
