"""Real PostgreSQL for the tests: a server a run and version, a database a test.

A test that asks for `server`, `cluster` or `database` runs once on each server: 18 of the demo
extra and, where Debian has it, 15; on CI both must be there. `--postgres 18` chooses, and so does
APS_TEST_POSTGRES_PREFIX, the folder of any other PostgreSQL. Nothing is ever skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps.demo import account
from aps.demo.binaries import Binaries
from aps.demo.cluster import Cluster
from aps.errors import ApsError
from tests.support.database import Database, Server
from tests.support.standby import Standby

_OLDEST = Path("/usr/lib/postgresql/15")
_CHOSEN = pytest.StashKey[dict[str, Binaries]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--postgres",
        metavar="VERSIONS",
        help="major versions to run on, such as 18 or 18,15 (default: all that are here)",
    )


def pytest_configure(config: pytest.Config) -> None:
    try:
        config.stash[_CHOSEN] = _chosen(config.getoption("--postgres"))
    except ApsError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A standby replays every database of every test that comes after it, so those that ask for one come last."""
    items.sort(key=lambda item: "standby" in getattr(item, "fixturenames", ()))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "server" not in metafunc.fixturenames:
        return
    chosen = metafunc.config.stash[_CHOSEN]
    names = list(chosen)
    if metafunc.definition.get_closest_marker("one_server"):
        names = names[:1]
    metafunc.parametrize("server", names, indirect=True, scope="session")


def _chosen(asked: str | None) -> dict[str, Binaries]:
    prefix = os.environ.get("APS_TEST_POSTGRES_PREFIX")
    if prefix:
        binaries = Binaries.find(Path(prefix))
        return {binaries.version: binaries}
    if asked:
        return {name: _binaries(name) for name in asked.split(",")}
    both = os.environ.get("CI") or _OLDEST.is_dir()
    return {name: _binaries(name) for name in (["18", "15"] if both else ["18"])}


def _binaries(name: str) -> Binaries:
    return Binaries.find(None if name == "18" else _OLDEST.with_name(name))


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, Server]]:
    """Those started so far; each starts with the first test that needs it and lasts to the end."""
    started: dict[str, Server] = {}
    yield started
    for server in started.values():
        server.stop()


@pytest.fixture(scope="session")
def server(
    request: pytest.FixtureRequest, pytestconfig: pytest.Config, servers: dict[str, Server]
) -> Server:
    """A running server with a template database."""
    name: str = request.param
    if name not in servers:
        servers[name] = Server(pytestconfig.stash[_CHOSEN][name])
    return servers[name]


@pytest.fixture(scope="session")
def standbys() -> Iterator[dict[Server, Standby]]:
    """Those started so far, as `servers`: only what asks for one pays for one."""
    started: dict[Server, Standby] = {}
    yield started
    for standby in started.values():
        standby.stop()


@pytest.fixture(scope="session")
def standby(server: Server, servers: dict[str, Server], standbys: dict[Server, Standby]) -> Standby:
    """A streaming standby of that server, at rest between two tests."""
    if server not in standbys:
        standbys[server] = Standby(server.cluster, server.binaries)
    return standbys[server]


@pytest.fixture
def cluster(server: Server) -> Cluster:
    """The shared server's process: not to be stopped or crashed."""
    return server.cluster


@pytest.fixture
def database(server: Server) -> Iterator[Database]:
    """A database of its own for one test, with the schema, the roles and the journal."""
    with server.database() as database:
        yield database


@pytest.fixture(scope="session")
def binaries(pytestconfig: pytest.Config) -> Binaries:
    """The first PostgreSQL chosen, for tests that start servers of their own."""
    first = next(iter(pytestconfig.stash[_CHOSEN].values()))
    return first.usable_by(account.choose())
