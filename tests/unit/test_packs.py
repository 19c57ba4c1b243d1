from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aps import packs
from aps.errors import Usage
from tests.unit import small_pack


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_pack.write(tmp_path / "home")
    small_pack.write(tmp_path / "home/packs/articles")
    (tmp_path / "home/packs/unfinished").mkdir()
    monkeypatch.setattr(packs, "HOME", tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def test_the_default_pack_is_home(home: Path) -> None:
    assert packs.find("aps") == home
    assert packs.name(home) == "aps"


def test_a_shipped_pack_is_found_by_its_name(home: Path) -> None:
    assert packs.find("articles") == home / "packs/articles"
    assert packs.name(home / "packs/articles") == "articles"


def test_a_shipped_name_wins_over_a_folder_and_a_path_names_the_folder(home: Path) -> None:
    own = small_pack.write(home.parent / "articles")
    assert packs.find("articles") == home / "packs/articles"
    assert packs.find("./articles") == own


def test_the_name_of_a_pack_given_as_a_dot_is_the_name_of_the_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_pack.write(home.parent / "mine"))
    assert packs.name(packs.find(".")) == "mine"


def test_known_lists_only_folders_that_hold_a_matrix(home: Path) -> None:
    assert packs.known() == ("aps", "articles")


@pytest.mark.parametrize("name", ["nowhere", "", "unfinished", "../home/packs", "home/packs"])
def test_a_pack_that_is_none_names_the_known_ones(home: Path, name: str) -> None:
    with pytest.raises(Usage, match=r"known packs are aps, articles, or name a folder") as caught:
        packs.find(name)
    assert caught.value.exit_code == 2


def test_a_folder_without_a_matrix_says_so(home: Path) -> None:
    with pytest.raises(Usage, match="no matrix.yaml in it"):
        packs.find("home/packs/unfinished")


def test_finding_a_pack_costs_no_heavy_import() -> None:
    code = "import sys, aps.packs; print({'yaml', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
