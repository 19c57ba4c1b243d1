"""The wheel carries the pack and its schemas, and works from an empty folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support import cli

ROOT = Path(__file__).parents[2]
SHIPPED = ("matrix.yaml", "queries/", "packs/")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as a release is, from the tracked files alone."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    archive = tree / "tree.tar"
    subprocess.run(
        ["git", "archive", "-o", str(archive), "HEAD"], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "-xf", str(archive), "-C", str(tree)], check=True)
    command = ["pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run(
        [sys.executable, "-m", *command, "-w", str(out), str(tree)], check=True, capture_output=True
    )
    (built,) = out.glob("*.whl")
    return built


def tracked() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {name for name in listed.stdout.splitlines() if name.startswith(SHIPPED)}


def test_the_wheel_carries_the_pack_as_it_is_tracked_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    data = {name.removeprefix("aps/data/") for name in names if name.startswith("aps/data/")}
    assert data == tracked()
    assert {"aps/py.typed", "aps/sql/judge.sql", "aps/schemas/report.schema.json"} <= names


def test_the_wheel_finds_its_pack_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    command = [
        sys.executable,
        "-c",
        "from aps import matrix, packs; print(packs.HOME.name, len(matrix.load(packs.find('aps')).states))",
    ]
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        command,
        env=cli.environment({"PYTHONPATH": str(tmp_path / "site")}),
        cwd=tmp_path / "empty",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[0] == "data"
    assert int(done.stdout.split()[1]) > 7
