from __future__ import annotations

import json
import os
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aps import store
from aps.errors import StoreError
from aps.store import IDENTITY_NAME, QUARANTINE, Observation, Seen, Unnameable, listings
from tests.unit.store_folders import BINDING, digest, expected

HEX = digest(b"hi\n")
# As rclone 1.75.2 printed it, `--hash-type sha256 -R`: a pipe and a link lay there too, the folder `closed` could not
# be read (rclone ended with 6, and so whole), `mode` neither, a control character became its picture.
PRINTED = f"""[
{{"Path":".aps-quarantine","Name":".aps-quarantine","Size":4096,"ModTime":"2026-11-30T23:42:03.642688747Z","IsDir":true}},
{{"Path":"a","Name":"a","Size":4096,"ModTime":"2026-11-30T23:42:03.642688747Z","IsDir":true}},
{{"Path":"closed","Name":"closed","Size":4096,"ModTime":"2026-11-30T23:42:03.642688747Z","IsDir":true}},
{{"Path":"con\u2409trol","Name":"con\u2409trol","Size":1,"ModTime":"","IsDir":false,"Hashes":{{"sha256":"{HEX[7:]}"}}}},
{{"Path":"mode","Name":"mode","Size":9,"ModTime":"2026-11-30T23:42:03.642688747Z","IsDir":false}},
{{"Path":".aps-store.json","Name":".aps-store.json","Size":99,"ModTime":"","IsDir":false,"Hashes":{{"sha256":"{HEX[7:]}"}}}},
{{"Path":".aps-quarantine/op","Name":"op","Size":4096,"ModTime":"2026-11-30T23:42:03.654688748Z","IsDir":true}},
{{"Path":"a/x","Name":"x","Size":3,"ModTime":"2026-11-30T23:42:03.642688747Z","IsDir":false,"Hashes":{{"sha256":"{HEX[7:]}"}}}},
{{"Path":".aps-quarantine/op/f","Name":"f","Size":2,"ModTime":"2026-11-30T23:42:03.654688748Z","IsDir":false,"Hashes":{{"sha256":"{HEX[7:]}"}}}}
]
"""


def read(path: Path, content: str | bytes) -> store.ObservedStore:
    file = path / "listing.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return store.observed(str(file))


def listed(path: Path, *entries: object) -> store.ObservedStore:
    return read(path, json.dumps(entries))


def names(seen: list[Seen]) -> list[str]:
    return [one.name for one in seen if isinstance(one, Observation)]


def test_what_rclone_prints_is_read_as_it_is_meant(tmp_path: Path) -> None:
    observed = read(tmp_path, PRINTED)
    assert list(observed.walk()) == [
        Observation("a/x", 3, HEX),
        Observation("con\u2409trol", 1, HEX),
        Observation("mode", 9),
    ]
    wanted = ["a/x", "a", "a/none", "none", "none/none", "mode", "closed/f", "closed/deep/f"]
    assert [(seen.size, seen.error) for seen in observed.look(wanted, rehash=True)] == [
        (3, None),
        (None, "it is a folder"),
        (None, None),
        (None, None),
        (None, None),
        (9, None),
        (None, "closed/ is listed as empty, or could not be read"),
        (None, "closed/ is listed as empty, or could not be read"),
    ]


def test_a_listing_says_what_it_is_and_how_old(tmp_path: Path) -> None:
    read(tmp_path, PRINTED)
    file = tmp_path / "listing.json"
    os.utime(file, (1_700_000_000, 1_700_000_000))
    observed = store.observed(str(file))
    assert observed.url == f"observations:{file}"
    assert observed.as_of == datetime.fromtimestamp(1_700_000_000, UTC)
    assert observed.told == (
        f"observations:{file}: looked at by another tool, listed 2023-11-14T22:13:20+00:00",
    )


def test_a_listing_is_only_looked_at(tmp_path: Path) -> None:
    observed = read(tmp_path, PRINTED)
    assert not observed.can_act
    assert observed.binding() is None
    with pytest.raises(StoreError, match="can only be looked at"):
        observed.bind(BINDING)
    for move in (observed.quarantine, observed.restore):
        with pytest.raises(StoreError, match="can only be looked at"):
            move("a/x", "op", expected(b"hi\n"))


def test_a_listing_is_attested_where_every_file_has_a_digest_and_never_rehashed(
    tmp_path: Path,
) -> None:
    hashed = {"Path": "a", "Size": 1, "Hashes": {"sha256": HEX[7:]}}
    for rehash in (False, True):
        assert listed(tmp_path, hashed).level(rehash=rehash) == "attested"
        assert listed(tmp_path, hashed, {"Path": "b", "Size": 1}).level(rehash=rehash) == "listed"
        assert listed(tmp_path, {"Path": "b", "IsDir": True}).level(rehash=rehash) == "listed"


@pytest.mark.parametrize(
    ("hashes", "found"),
    [
        (None, None),
        ({}, None),
        ({"sha256": ""}, None),
        ({"md5": "AB12", "sha256": HEX[7:].upper()}, HEX),
        ({"SHA-256": HEX[7:]}, HEX),
        ({"sha1": "aa", "md5": "BB"}, "md5:bb"),
    ],
)
def test_a_digest_is_sha256_where_there_is_one_and_else_names_its_method(
    tmp_path: Path, hashes: object, found: str | None
) -> None:
    observed = listed(tmp_path, {"Path": "a", "Size": 1, "Hashes": hashes})
    assert [seen.digest for seen in observed.look(["a"], rehash=False)] == [found]


def test_names_come_in_byte_order_and_without_apss_own(tmp_path: Path) -> None:
    paths = ["b", "a0", "a/b", "a-b", "é", "z", "😀", "\uffff", IDENTITY_NAME, f"{QUARANTINE}/op/x"]
    observed = listed(tmp_path, *({"Path": path, "Size": 0} for path in paths))
    assert names(list(observed.walk())) == sorted(paths[:-2], key=str.encode)


def test_a_name_that_is_unfit_or_ambiguous_is_an_error_or_counted_apart(tmp_path: Path) -> None:
    content = (
        '[{"Path":"a","Size":1},{"Path":"a","Size":1},{"Path":"../b","Size":1},'
        '{"Path":"c","Size":-1},{"Path":"d\\ne","Size":1},{"Path":"\\ud800","Size":1},{"Path":"f\\u0000","Size":1}]'
    )
    seen = list(read(tmp_path, content).walk())
    assert [(one.name, one.error) for one in seen if isinstance(one, Observation)] == [
        ("../b", "the name climbs out with `..`"),
        ("a", "it is listed twice"),
        ("c", "its size is not listed"),
        ("d\ne", "the name holds control characters"),
    ]
    assert [one for one in seen if isinstance(one, Unnameable)] == [
        Unnameable("f\0", "the name holds control characters"),
        Unnameable("\\ud800", "the name is not UTF-8"),
    ]
    (looked,) = read(tmp_path, content).look(["../b"], rehash=False)
    assert looked.error == "the name climbs out with `..`"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON, or cut off, at line 1, column 1"),
        ("[", "not JSON, or cut off, at line 1, column 2"),
        (PRINTED[:-3], "not JSON, or cut off, at line 10"),
        ("[\n]\n", "the listing is empty"),
        ("{}", "not the array that"),
        ('{"Path": "a"}', "not the array that"),
        (b'["\xff"]', "not UTF-8 at byte 3"),
        ("[" * 100_000, "nested too deep"),
        ("[1]", "entry 1: no object with a Path"),
        ('[{"Path": "a"}, {"Name": "b"}]', "entry 2: no object with a Path"),
        ('[{"Path": 5}]', "entry 1: Path is no text"),
        ('[{"Path": "a", "Size": "1"}]', "entry 1: Size is no whole number"),
        ('[{"Path": "a", "Size": 1.0}]', "entry 1: Size is no whole number"),
        ('[{"Path": "a", "Size": true}]', "entry 1: Size is no whole number"),
        ('[{"Path": "a", "IsDir": "no"}]', "entry 1: IsDir is neither true nor false"),
        ('[{"Path": "a", "Hashes": []}]', "entry 1: Hashes is no object"),
        ('[{"Path": "a", "Hashes": ["x"]}]', "entry 1: Hashes is no object"),
        ('[{"Path": "a", "Hashes": {"md5": 5}}]', "entry 1: the hash md5 is no text"),
        ('[{"Path": "a", "Hashes": {"sha256": "ab"}}]', "entry 1: the hash sha256 is not hex"),
        ('[{"Path": "a", "Hashes": {"md5": "xy"}}]', "entry 1: the hash md5 is not hex"),
        (json.dumps([0] * 9), "entry 5: no object with a Path; and 4 more"),
    ],
)
def test_a_listing_with_faults_is_refused_with_their_entries(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    with pytest.raises(StoreError) as error:
        read(tmp_path, content)
    assert said in str(error.value)
    assert str(error.value).startswith(f"observations:{tmp_path}/listing.json: ")


def test_a_listing_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(StoreError, match="observations:"):
            store.observed(str(path))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["Path", "Size", "IsDir", "Hashes", "sha256", "x"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


@given(JSON)
@settings(deadline=None)
def test_any_json_is_entries_or_a_clear_error(value: object) -> None:
    try:
        assert all(
            isinstance(one, listings.Entry)
            for one in listings.entries(json.dumps(value).encode(), "x")
        )
    except StoreError as error:
        said = str(error)
    else:
        said = "x: "
    assert said.startswith("x: ")


def test_a_listing_of_a_hundred_thousand_files_is_small_in_memory(tmp_path: Path) -> None:
    line = (
        '{{"Path":"{0}/{0}","Name":"{0}","Size":1,"ModTime":"","IsDir":false,"Hashes":{{"sha256":"'
        + HEX[7:]
        + '"}}}}'
    )
    content = "[\n" + ",\n".join(line.format(at) for at in range(100_000)) + "\n]\n"
    (tmp_path / "listing.json").write_text(content)
    tracemalloc.start()
    try:
        observed = store.observed(str(tmp_path / "listing.json"))
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(1 for _ in observed.walk()) == 100_000
    assert held < 5 * len(content)
    assert peak < 10 * len(content)
