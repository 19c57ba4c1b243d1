"""`aps matrix check --scratch`: a private, empty server with the pack's own schema, of which nothing is left."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps import packs
from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.watching import eventually, is_gone

ERRANDS = "CREATE TABLE errand (name text PRIMARY KEY, taken_at timestamptz);\n"


def errands(folder: Path, schema: str | None = ERRANDS) -> str:
    made = Path(trouble.errands(folder))
    if schema:
        (made / "queries" / "schema.sql").write_text(schema, encoding="utf-8")
    return str(made)


def check(pack: str, *words: str) -> cli.Result:
    return cli.call("matrix", "check", "--scratch", "--pack", pack, *words)


@pytest.mark.parametrize("name", packs.known())
def test_every_shipped_pack_is_sound_on_a_private_server(name: str) -> None:
    said = check(name)
    assert said.code == Exit.CLEAR, said
    assert "no faults" in said.stdout
    assert "private, empty PostgreSQL" in said.stdout
    assert "totality: not checked, the population is empty" in said.stdout


def test_a_pack_without_a_schema_is_told_what_is_missing(tmp_path: Path) -> None:
    said = check(errands(tmp_path, None))
    cli.refused(said, Exit.USAGE, "errands has no queries/schema.sql", "--dsn")


def test_two_databases_are_one_too_many(tmp_path: Path) -> None:
    for words in (("--dsn", "dbname=x"), ("--demo",)):
        cli.refused(check("aps", *words), Exit.USAGE, "--scratch starts a database of its own")


def test_a_schema_that_cannot_be_created_is_a_fault_of_the_pack(tmp_path: Path) -> None:
    said = check(errands(tmp_path, "CREATE TABLE errand (name texts);\n"))
    assert said.code == Exit.MATRIX
    words = " ".join(said.stdout.split())
    assert "queries/schema.sql" in words
    assert 'type "texts" does not exist' in words


def test_a_schema_without_the_table_is_a_fault_of_the_pack(tmp_path: Path) -> None:
    said = check(errands(tmp_path, "CREATE TABLE other (name text);\n"), "--format", "csv")
    assert said.code == Exit.MATRIX
    assert "has no table errand" in said.stdout


def test_the_tables_are_made_in_the_schema_that_is_asked_for(tmp_path: Path) -> None:
    said = check(errands(tmp_path), "--schema", "Side")
    assert said.code == Exit.CLEAR, said


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A temporary directory of this test, open to the account of the server."""
    folder = Path(tempfile.mkdtemp(prefix="aps tests "))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


def test_nothing_is_left_of_a_check_that_is_interrupted(temporary: Path) -> None:
    argv = cli.argv("matrix", "check", "--scratch")
    env = cli.environment({"TMPDIR": str(temporary)})
    with subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, text=True) as checking:
        assert eventually(lambda: any(temporary.glob("aps-*/postmaster.pid")))
        (file,) = temporary.glob("aps-*/postmaster.pid")
        checking.send_signal(signal.SIGINT)
        server = int(file.read_text().splitlines()[0])
        _, told = checking.communicate(timeout=cli.TIMEOUT)
    assert (checking.returncode, told) == (
        Exit.INTERRUPTED,
        "interrupted: the private PostgreSQL is gone\n",
    )
    assert is_gone(server)
    # A copy of the programs may stay: the next start uses it again.
    left = [path.name for path in temporary.iterdir()]
    assert not [name for name in left if not name.startswith("aps-postgresql-")]
