"""A private PostgreSQL: on a Unix socket only, never as root, gone when its starter is gone."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from aps.demo import account as accounts
from aps.demo.account import Account
from aps.demo.binaries import Binaries
from aps.demo.lifeline import Lifeline
from aps.errors import DatabaseError

_PORT: Final = 5432
# A socket's path may have 104 bytes where the limit is lowest, the closing NUL included.
_SOCKET: Final = len(f"/aps-12345678/.s.PGSQL.{_PORT}")
_LONGEST: Final = 103
_DEADLINE: Final = 30.0


class Cluster:
    """One server. It runs no longer than the process, and the thread, that started it."""

    def __init__(
        self,
        folder: Path,
        binaries: Binaries,
        account: Account,
        options: list[str],
        keep: bool,
        sockets: Path | None,
    ) -> None:
        self.folder = folder
        self.sockets = sockets or account.new_folder(fits=_fits)
        self._account = account
        self._keep = keep
        self._argv: list[str | Path] = [binaries.folder / "postgres", "-D", folder, *options]
        self._argv += ["-c", f'unix_socket_directories="{self.sockets}"']
        self._lifeline: Lifeline | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The server's process, while it runs."""
        return self._lifeline.pid if self._lifeline else None

    @property
    def socket(self) -> Path:
        return self.sockets / f".s.PGSQL.{_PORT}"

    def dsn(self, database: str = "postgres", role: str = "postgres") -> str:
        parts = {"host": str(self.sockets), "port": str(_PORT), "dbname": database, "user": role}
        return " ".join(f"{name}={_quoted(value)}" for name, value in parts.items())

    def stop(self) -> None:
        """Stop in good order. The data folder stays, unless the cluster was not to be kept."""
        self._end(signal.SIGINT)
        shutil.rmtree(self.sockets, ignore_errors=True)
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def crash(self) -> None:
        """Stop at once: sessions are cut, and the next start recovers from the log."""
        self._end(signal.SIGQUIT)

    def restart(self) -> None:
        """Start again on the same folder and socket, also after `crash`."""
        self._end(signal.SIGINT)
        self._launch()

    def _launch(self) -> None:
        self._lifeline = Lifeline(self._account, self.folder, self.sockets, self._argv, self._keep)
        deadline = time.monotonic() + _DEADLINE
        while not self._is_ready():
            if self.pid is None or time.monotonic() > deadline:
                raise DatabaseError(f"the private PostgreSQL did not start: {self._last_words()}")
            time.sleep(0.005)

    def _is_ready(self) -> bool:
        try:
            lines = (self.folder / "postmaster.pid").read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return False
        # A crash leaves the file of the server before: the first line tells whose it is.
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def _last_words(self) -> str:
        log = self.folder / "server.log"
        try:
            lines = log.read_text("utf-8", "replace").splitlines()
        except OSError:
            return f"and left no log in {log}"
        return "\n".join(lines[-5:])

    def _end(self, how: signal.Signals) -> None:
        if self._lifeline:
            self._lifeline.end(how)
        self._lifeline = None


def start(
    folder: Path,
    binaries: Binaries,
    *,
    fsync: bool = False,
    settings: Mapping[str, str] | None = None,
    keep: bool = True,
    sockets: Path | None = None,
) -> Cluster:
    """Start a server on the data of `folder`, which is made where it is missing or empty.

    The superuser is `postgres`. Without `keep` the folder goes when the server stops or when this
    process dies. `sockets` is a new folder for its socket, else one is made. Raises DatabaseError
    with the reason and the last lines of the server's log.
    """
    account = accounts.choose()
    usable = binaries.usable_by(account)
    folder = folder.absolute()
    if not (folder / "PG_VERSION").is_file():
        _create(folder, usable, account)
    asked = {"listen_addresses": "", "port": str(_PORT), "fsync": "on" if fsync else "off"}
    asked |= settings or {}
    options = [part for name, value in asked.items() for part in ("-c", f"{name}={value}")]
    if sockets:
        sockets.mkdir(mode=0o700)
        account.give(sockets)
    cluster = Cluster(folder, usable, account, options, keep, sockets)
    try:
        cluster._launch()
    except BaseException:
        cluster.stop()
        raise
    return cluster


def new_folder() -> Path:
    """A new folder for the data of a server, in the temporary directory."""
    return accounts.choose().new_folder()


def new_home() -> Path:
    """A new folder for the data of a server and, in `sockets`, its socket: all of it lies in one place."""
    return accounts.choose().new_folder(fits=lambda base: _fits(base / "sockets"))


@contextmanager
def temporary(binaries: Binaries, settings: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """A server on nothing but its defaults, of which nothing is left at the end."""
    folder = new_folder()
    try:
        with start(folder, binaries, settings=settings, keep=False) as cluster:
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _create(folder: Path, binaries: Binaries, account: Account) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if any(folder.iterdir()):
        raise DatabaseError(f"{folder}: neither empty nor the data of a PostgreSQL server")
    account.give(folder)
    if not account.can_enter(folder):
        raise DatabaseError(f"{folder}: the account {account.name} cannot enter it")
    flags = ["--auth-local=trust", "--auth-host=reject", "--username=postgres", "--no-sync"]
    flags += ["--encoding=UTF8", "--no-locale", "--no-instructions"]
    made = account.run(binaries.folder / "initdb", "-D", folder, *flags)
    if made.returncode != 0:
        raise DatabaseError(f"initdb failed: {(made.stderr or made.stdout).strip()}")


def _fits(base: Path) -> bool:
    # PostgreSQL and libpq both split a list of folders at commas; other marks need no support.
    plain = re.fullmatch(r"[\w/ .+@=-]+", str(base)) is not None
    return plain and len(os.fsencode(base)) + _SOCKET <= _LONGEST


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w/.+-]+", value):
        return value
    escaped = value.replace("\\", r"\\").replace("'", r"\'")
    return f"'{escaped}'"
