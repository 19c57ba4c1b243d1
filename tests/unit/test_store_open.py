from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

from aps import store
from aps.errors import StoreError
from aps.store import IDENTITY_NAME, QUARANTINE
from tests.unit.store_folders import BINDING, OTHER, WITHOUT_CAPABILITIES, Folder, run


@pytest.mark.parametrize(
    "form", ["{}", "file://{}", "file:{}", "file://localhost{}", "{}/", "{}/."]
)
def test_a_folder_is_named_by_path_or_file_url(tmp_path: Path, form: str) -> None:
    Folder.at(tmp_path)
    opened = store.open(form.format(tmp_path))
    assert opened.binding() == BINDING
    assert opened.url == f"file://{tmp_path}"
    assert opened.told == ()


def test_a_url_may_escape_and_a_path_may_not(tmp_path: Path) -> None:
    Folder.at(tmp_path / "a b%20c")
    assert store.open(f"file://{tmp_path}/a%20b%2520c").binding() == BINDING
    assert store.open(f"{tmp_path}/a b%20c").binding() == BINDING
    with pytest.raises(StoreError, match="no such folder"):
        store.open(f"{tmp_path}/a%20b%2520c").binding()


def test_a_relative_path_is_made_absolute_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Folder.at(tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    opened = store.open("here")
    monkeypatch.chdir("/")
    assert opened.binding() == BINDING


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://bucket/prefix", "s3 is not supported; a store is a folder"),
        ("https://x/", "https is not supported"),
        ("file://host/path", "another host (host)"),
        ("file:relative", "names no folder"),
        ("file://", "names no folder"),
        ("", "names no folder"),
        ("/a\0b", "names no folder"),
        ("file:///a%00b", "names no folder"),
    ],
)
def test_what_is_no_folder_is_refused_with_what_is_supported(url: str, said: str) -> None:
    with pytest.raises(StoreError) as error:
        store.open(url)
    assert said in str(error.value)


def test_a_root_that_is_missing_or_no_folder_is_an_error_and_not_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="no such folder; is it mounted"):
        store.open(str(tmp_path / "none")).binding()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError):
            store.open(str(path)).binding()
        with pytest.raises(StoreError):
            list(store.open(str(path)).look(["a"], rehash=False))


def test_an_unbound_root_is_readable_but_nothing_in_it_is_absent(tmp_path: Path) -> None:
    opened = store.open(str(tmp_path))
    assert opened.binding() is None
    for look in (opened.look(["a"], rehash=False), opened.look(["a"], rehash=True), opened.walk()):
        with pytest.raises(StoreError, match="no identity object; is it mounted"):
            list(look)


def test_the_root_may_be_reached_by_a_symbolic_link_resolved_once_and_said(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "real")
    folder.add("a")
    link = tmp_path / "link"
    link.symlink_to("real")
    opened = store.open(str(link))
    link.unlink()
    link.symlink_to("/")
    assert [seen.size for seen in opened.look(["a"], rehash=False)] == [7]
    assert opened.told == (f"store file://{link}: followed symbolic links to {folder.path}",)


def test_a_link_that_takes_the_place_of_a_resolved_root_is_not_followed(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "real")
    opened = folder.store
    folder.path.rename(tmp_path / "moved")
    folder.path.symlink_to("moved")
    with pytest.raises(StoreError, match="real is a symbolic link"):
        opened.binding()


def test_a_store_that_becomes_another_one_answers_no_more(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "a")
    opened = folder.store
    assert opened.binding() == BINDING
    folder.store.bind(OTHER, rebind=True)
    with pytest.raises(StoreError, match="no longer the store that it was"):
        list(opened.walk())


def test_bind_is_idempotent_and_never_replaces_unasked(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path)
    before = (tmp_path / IDENTITY_NAME).read_bytes()
    folder.store.bind(BINDING)
    with pytest.raises(StoreError, match="bound already, as store store-1, to database 16384"):
        folder.store.bind(OTHER)
    assert (tmp_path / IDENTITY_NAME).read_bytes() == before
    folder.store.bind(OTHER, rebind=True)
    assert folder.store.binding() == OTHER
    assert os.listdir(tmp_path) == [IDENTITY_NAME]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"aps_store": 1}',
        b'{"aps_store": 1, "store_id": 5, "database": {}}',
        b'{"aps_store": 1, "store_id": "", "database": null}',
        b"[" * 60000,
        b'{"aps_store": 1, "store_id": "' + b"x" * 100_000 + b'"}',
    ],
)
def test_a_damaged_identity_is_refused_and_can_be_bound_again(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / IDENTITY_NAME).write_bytes(content)
    opened = store.open(str(tmp_path))
    with pytest.raises(StoreError, match="is damaged"):
        opened.binding()
    with pytest.raises(StoreError, match="is damaged"):
        opened.bind(BINDING)
    with pytest.raises(StoreError, match="is damaged"):
        list(opened.walk())
    opened.bind(BINDING, rebind=True)
    assert opened.binding() == BINDING


def test_an_identity_of_a_newer_version_is_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / IDENTITY_NAME).write_text(json.dumps({"aps_store": 2}))
    with pytest.raises(StoreError, match="of version 2; use a newer aps"):
        store.open(str(tmp_path)).binding()


def test_an_identity_that_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    identity = tmp_path / IDENTITY_NAME
    for make in (os.mkdir, os.mkfifo, partial(os.symlink, "x")):
        make(identity)
        with pytest.raises(StoreError, match="cannot be read: it is a"):
            store.open(str(tmp_path)).binding()
        identity.rename(tmp_path / f"old-{os.urandom(4).hex()}")


def test_a_folder_that_may_not_be_read_is_no_store(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "store")
    folder.path.chmod(0o300)
    said = run("tests.unit.store_looker", str(folder.path), "a", prefix=WITHOUT_CAPABILITIES)
    assert said == f"StoreError store file://{folder.path}: permission denied\n"


def test_aps_names_its_own_objects_once() -> None:
    assert (IDENTITY_NAME, QUARANTINE) == (".aps-store.json", ".aps-quarantine")
