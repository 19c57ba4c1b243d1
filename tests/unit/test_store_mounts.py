from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.store_folders import OWN_MOUNTS, run

PROMISES = {
    "full": "a full disk moves nothing, and the next run goes on",
    "read_only": "a read-only file system moves nothing in either direction",
    "closed_during": "a file system that closes between two steps keeps the file at its name",
    "two": "a file on another file system than its store is not moved",
    "unmounted": "a mount that went away is an error and not an empty store",
    "no_room_to_bind": "an identity that does not fit leaves none behind",
}


@pytest.mark.parametrize("case", PROMISES)
def test_on_file_systems_of_its_own_a_store_keeps(tmp_path: Path, case: str) -> None:
    run("tests.unit.store_mounts", case, str(tmp_path), prefix=OWN_MOUNTS)
