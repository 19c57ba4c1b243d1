"""The account of the operating system that a private PostgreSQL runs as: never root."""

from __future__ import annotations

import os
import pwd
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from aps.errors import DatabaseError

# Nothing of the caller's PG* variables, locale or time zone reaches the server.
ENVIRONMENT: Final = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
_FOR_ROOT: Final = ("postgres", "nobody")


class Rights(TypedDict, total=False):
    """What subprocess is told so that a child runs as the account."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """`dropped` where this process is root and its children give root up for the account."""

    name: str
    uid: int
    gid: int
    dropped: bool

    @property
    def rights(self) -> Rights:
        if not self.dropped:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def run(self, *argv: str | Path, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run to the end as the account, output captured. Raises OSError where it cannot start."""
        return subprocess.run(
            argv,
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            **self.rights,
        )

    def can_run(self, *argv: str | Path) -> bool:
        try:
            return self.run(*argv).returncode == 0
        except OSError:
            return False

    def can_enter(self, folder: Path) -> bool:
        return self.can_run("/bin/sh", "-c", 'cd -- "$1"', "sh", folder)

    def bases(self) -> Iterator[Path]:
        """Folders for temporary files that the account can enter, the configured one first."""
        for folder in dict.fromkeys((Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))):
            if self.can_enter(folder):
                yield folder

    def new_folder(self, fits: Callable[[Path], bool] = lambda base: True) -> Path:
        """A new temporary folder that only the account (and root) can enter."""
        base = next(filter(fits, self.bases()), None)
        if base is None:
            raise DatabaseError(
                f"no temporary folder that the account {self.name} can enter; set TMPDIR to one"
            )
        folder = Path(tempfile.mkdtemp(prefix="aps-", dir=base))
        self.give(folder)
        return folder

    def give(self, path: Path) -> None:
        if self.dropped:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def choose() -> Account:
    """This process's own account; for root an existing one with no rights of its own."""
    if os.geteuid() == 0:
        return _for_root()
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise DatabaseError(
            f"user id {os.geteuid()} has no name (no entry in /etc/passwd), and PostgreSQL does "
            "not start without one: run as a user that has a name, or name a server with --dsn"
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, dropped=False)


def _for_root() -> Account:
    for name in _FOR_ROOT:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        account = Account(name, entry.pw_uid, entry.pw_gid, dropped=True)
        if entry.pw_uid != 0 and account.can_run("/bin/sh", "-c", ":"):
            return account
    raise DatabaseError(
        "PostgreSQL does not run as root, and no other account can be used for it "
        f"(tried {', '.join(_FOR_ROOT)}): run as an ordinary user, or name a server with --dsn"
    )
