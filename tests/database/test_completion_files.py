"""What became of a completion where its file is looked at: the bytes must be those that the record names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aps import store
from aps.errors import StoreError
from aps.exits import Exit
from aps.files import Sight
from aps.store import LocalStore, Observation, Progress
from tests.support.artifacts import CONTENT, Artifacts, Meanwhile, digest
from tests.support.completing import acted, ask, contents
from tests.support.database import Database
from tests.support.queue import queue


@pytest.fixture
def artifacts(database: Database, tmp_path: Path) -> Artifacts:
    return Artifacts.bound(database, tmp_path / "store")


def test_the_bytes_of_the_record_are_applied_at_the_level_rehashed(artifacts: Artifacts) -> None:
    job, _ = artifacts.published()
    told = ask(artifacts.database, job, 1, sight=artifacts.sight())
    assert (told.answer, told.level, told.exit_code) == ("applied", "rehashed", Exit.CLEAR)
    assert told.evidence["compared"] == "epoch, bytes"
    assert "has the bytes" in told.reason
    assert told.store.level == "rehashed"


def remove(file: Path) -> None:
    file.unlink()


def replace(file: Path) -> None:
    file.write_bytes(b"other")


def truncate(file: Path) -> None:
    file.write_bytes(b"")


def make_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def link(file: Path) -> None:
    target = file.rename(file.with_name("elsewhere"))
    file.symlink_to(target)


@pytest.mark.parametrize(
    ("spoil", "answer", "told"),
    [
        (remove, "incompatible", "is absent"),
        (replace, "incompatible", f"has other bytes: {digest(b'other')}"),
        (truncate, "incompatible", f"has other bytes: {digest(b'')}"),
        (make_a_folder, "undetermined", "could not be read"),
        (link, "undetermined", "could not be read"),
    ],
)
def test_a_file_that_is_not_right_is_never_applied(
    artifacts: Artifacts, spoil: Callable[[Path], None], answer: str, told: str
) -> None:
    job, file = artifacts.published()
    spoil(file)
    found = ask(artifacts.database, job, 1, worker="w1", sight=artifacts.sight())
    assert found.answer == answer, found
    assert told in found.reason
    assert found.exit_code == (Exit.INCOMPATIBLE if answer == "incompatible" else 12)


class Telling(LocalStore):
    """A store that says this of every file."""

    def __init__(self, root: Path, *said: Any) -> None:
        super().__init__(str(root).encode())
        self._said = said

    def look(
        self, names: Any, *, rehash: bool, progress: Progress | None = None
    ) -> Iterator[Observation]:
        for name in names:
            yield Observation(name, *self._said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ((12, "md5:abc"), "unknown method: md5:abc"),
        ((12, None), "was listed only, not read"),
        ((None, None, "input/output error"), "could not be read: input/output error"),
    ],
)
def test_what_cannot_be_compared_is_undetermined(
    artifacts: Artifacts, said: tuple[Any, ...], told: str
) -> None:
    job, _ = artifacts.published()
    sight = artifacts.sight(Telling(artifacts.root, *said))
    found = ask(artifacts.database, job, 1, sight=sight)
    assert (found.answer, found.exit_code) == ("undetermined", Exit.UNDETERMINED)
    assert told in found.reason


def test_a_right_file_makes_no_wrong_completion_right(artifacts: Artifacts) -> None:
    job, _ = artifacts.published()
    found = ask(artifacts.database, job, 1, digest=digest(b"other"), sight=artifacts.sight())
    assert (found.answer, found.level) == ("incompatible", "recorded")
    acted(artifacts.database, "missing_artifact.reconcile", job)
    found = ask(artifacts.database, job, 1, sight=artifacts.sight())
    assert (found.answer, found.level) == ("incompatible", "recorded")


def test_a_whole_candidate_is_not_a_completion(artifacts: Artifacts) -> None:
    job, _ = artifacts.abandoned()
    found = ask(artifacts.database, job, 1, sight=artifacts.sight())
    assert (found.answer, found.level) == ("open", "recorded")


def test_what_is_withdrawn_while_its_file_is_read_is_not_applied(artifacts: Artifacts) -> None:
    job, _ = artifacts.published()
    meanwhile = Meanwhile(
        artifacts.root, lambda: acted(artifacts.database, "missing_artifact.reconcile", job)
    )
    found = ask(artifacts.database, job, 1, sight=artifacts.sight(meanwhile))
    assert (found.answer, "withdrew" in found.reason) == ("incompatible", True)


def test_a_store_that_cannot_be_believed_answers_nothing(
    artifacts: Artifacts, tmp_path: Path
) -> None:
    job, _ = artifacts.published()
    other = tmp_path / "other"
    other.mkdir()
    for root in (other, tmp_path / "gone"):
        with pytest.raises(StoreError):
            ask(artifacts.database, job, 1, sight=Sight(store.open(str(root)), rehash=True))


def test_asking_with_a_store_writes_nothing(artifacts: Artifacts) -> None:
    job, file = artifacts.published()
    lost, _ = artifacts.published("q")
    before = contents(artifacts.database), listing(artifacts.root)
    for one in (job, lost):
        ask(artifacts.database, one, 1, sight=artifacts.sight())
        ask(artifacts.database, one, 2, sight=artifacts.sight())
    assert (contents(artifacts.database), listing(artifacts.root)) == before
    assert file.is_file()


def listing(root: Path) -> list[tuple[Path, int, int]]:
    found = [(path, path.lstat()) for path in sorted(root.rglob("*"))]
    return [(path, seen.st_size, seen.st_mtime_ns) for path, seen in found]


def test_an_answer_in_a_race_with_its_publication_is_of_before_or_after(
    artifacts: Artifacts,
) -> None:
    """While publications commit, every answer is `open` or `applied`, and none goes back to `open`."""
    q = artifacts.queue
    claims = [q.claimed("w1", key=f"r{n}") for n in range(20)]
    for claim in claims:
        artifacts.write(claim["candidate"])
    worker = queue(artifacts.database)
    failed: list[object] = []

    def publish() -> None:
        for claim in claims:
            if not worker.publish(claim["job_id"], "w1", 1, digest(CONTENT)):
                failed.append(claim)

    publishing = threading.Thread(target=publish)
    publishing.start()
    for claim in claims:
        answers: list[str] = []
        while not answers or answers[-1] == "open":
            found = ask(artifacts.database, claim["job_id"], 1, sight=artifacts.sight())
            answers.append(found.answer)
            assert (found.answer, found.level) in {("open", "recorded"), ("applied", "rehashed")}
    publishing.join()
    assert not failed
    for claim in claims:
        assert ask(artifacts.database, claim["job_id"], 1).answer == "applied"


def test_an_answer_does_not_wait_for_a_publication_in_flight(artifacts: Artifacts) -> None:
    claim = artifacts.queue.claimed()
    publishing = artifacts.database.connect("aps_work", autocommit=False)
    worker = type(artifacts.queue)(publishing)
    assert worker.publish(claim["job_id"], "w1", 1)
    assert ask(artifacts.database, claim["job_id"], 1).answer == "open"
    publishing.commit()
    assert ask(artifacts.database, claim["job_id"], 1).answer == "applied"
