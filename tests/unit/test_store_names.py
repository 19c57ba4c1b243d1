from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aps.store import IDENTITY_NAME, QUARANTINE, NotMoved, Observation, Unnameable, names
from tests.unit.store_folders import Folder, expected, run

REFUSED = {
    "": "the name has an empty part",
    "/etc/passwd": "the name is absolute",
    "//": "the name is absolute",
    "..": "the name climbs out with `..`",
    "a/../../b": "the name climbs out with `..`",
    "a//b": "the name has an empty part",
    "a/": "the name has an empty part",
    "./a": "the name has an empty part",
    "a/.": "the name has an empty part",
    "a\nb": "the name holds control characters",
    "a\x7f": "the name holds control characters",
    "a\x85": "the name holds control characters",
    "\x1b[2J": "the name holds control characters",
    "a\0b": "the name holds control characters",
    "a\udce9": "the name is not UTF-8",
    IDENTITY_NAME: "the name is aps's own",
    f"{QUARANTINE}/op/a": "the name is aps's own",
}
# What sorts below, at and above a slash, what UTF-8 makes longer, what looks like a way out, a byte that is no UTF-8.
LETTERS = st.sampled_from(
    ["a", "b", "-", ".", "0", "!", "~", " ", "\\", "é", "\uffff", "😀", "\udce9"]
)
PART = st.text(LETTERS, min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))
NAME = st.lists(PART, min_size=1, max_size=4).map("/".join)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder.at(tmp_path)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("rehash", [False, True])
def test_a_name_that_is_unfit_is_an_error_and_never_absence(
    folder: Folder, name: str, rehash: bool
) -> None:
    assert list(folder.store.look([name], rehash=rehash)) == [
        Observation(name, error=REFUSED[name])
    ]
    for move in (folder.store.quarantine, folder.store.restore):
        with pytest.raises(NotMoved, match="blocked|the name") as error:
            move(name, "op", expected(b""))
        assert error.value.outcome == "blocked"


@pytest.mark.parametrize(
    "name", ["..a", "a..", "...", "a b", "-rf", "~", "*", "a\\b", "ü/\u202e", "a\u2028b"]
)
def test_a_name_that_is_only_unusual_is_looked_up(folder: Folder, name: str) -> None:
    folder.add(name, b"four")
    assert [seen.size for seen in folder.store.look([name], rehash=True)] == [4]
    assert [seen.name for seen in folder.store.walk() if isinstance(seen, Observation)] == [name]


def test_a_file_in_a_folders_place_means_absent_and_a_link_does_not(folder: Folder) -> None:
    folder.add("plain")
    folder.add("real/file")
    (folder.path / "inside").symlink_to("real")
    (folder.path / "outside").symlink_to("/etc")
    wanted = ["plain/file", "real/file/deeper", "real/none", "inside/file", "outside/passwd"]
    seen = [(one.size, one.error) for one in folder.store.look(wanted, rehash=False)]
    assert seen == [
        (None, None),
        (None, None),
        (None, None),
        (None, "inside is a symbolic link"),
        (None, "outside is a symbolic link"),
    ]


def special(folder: Folder) -> Iterator[tuple[str, str]]:
    folder.add("target")
    (folder.path / "link").symlink_to("target")
    yield "link", "it is a symbolic link"
    (folder.path / "dangling").symlink_to("nowhere")
    yield "dangling", "it is a symbolic link"
    (folder.path / "folder").mkdir()
    yield "folder", "it is a folder"
    os.mkfifo(folder.path / "pipe")
    yield "pipe", "it is a pipe"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder.path / "socket"))
    yield "socket", "it is a socket"


def test_what_is_no_regular_file_is_an_error_and_is_never_opened(folder: Folder) -> None:
    made = dict(special(folder))
    for rehash in (False, True):
        looked = {seen.name: seen.error for seen in folder.store.look(made, rehash=rehash)}
        assert looked == made
    walked = {
        seen.name: seen.error for seen in folder.store.walk() if isinstance(seen, Observation)
    }
    del made["folder"]
    assert walked == {**made, "target": None}


def test_a_name_too_long_for_the_file_system_is_an_error(folder: Folder) -> None:
    (seen,) = folder.store.look(["x" * 300], rehash=False)
    assert seen.error == "file name too long"


def test_names_that_are_not_utf8_are_counted_apart_with_all_that_lies_below(folder: Folder) -> None:
    below = os.fsencode(folder.path) + b"/caf\xe9"
    os.mkdir(below)
    for name in (b"/caf\xe9/a", b"/caf\xe9/b", b"/z\xff"):
        with open(os.fsencode(folder.path) + name, "wb"):
            pass
    folder.add("caf\\xe9")
    seen = list(folder.store.walk())
    assert [one.shown for one in seen if isinstance(one, Unnameable)] == [
        "caf\\xe9/a",
        "caf\\xe9/b",
        "z\\xff",
    ]
    assert [one.name for one in seen if isinstance(one, Observation)] == ["caf\\xe9"]


def test_names_are_utf8_whatever_the_locale(folder: Folder) -> None:
    folder.add("ü/ä", b"x")
    ascii_only = ["env", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0", "LC_ALL=C"]
    said = run("tests.unit.store_looker", str(folder.path), "ü/ä", prefix=ascii_only)
    assert said == "listed ü/ä 1 None\nrehashed ü/ä 1 None\nwalked ü/ä 1 None\n"


@given(st.lists(NAME, max_size=25))
@settings(deadline=None, max_examples=60)
def test_a_walk_gives_every_file_in_byte_order_of_its_whole_name(wanted: list[str]) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = Folder.at(Path(path))
        made = set()
        for name in wanted:
            # A name may be a folder of another one; the first that comes stays.
            with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
                folder.add(name)
                made.add(names.raw(name))
        seen = [
            one.name if isinstance(one, Observation) else one.shown for one in folder.store.walk()
        ]
        assert seen == [names.shown(names.text(name)) for name in sorted(made)]


@given(st.text(st.characters(exclude_categories=()), max_size=12))
@settings(deadline=None)
def test_any_text_has_a_fault_or_stays_below_the_root(name: str) -> None:
    if names.fault(name) is None:
        parts = names.parts(name)
        assert b"/".join(parts) == name.encode()
        assert not {b"", b".", b".."} & set(parts)
        assert b"\0" not in names.raw(name)
    assert names.sayable(names.shown(name).replace("\0", ""))
