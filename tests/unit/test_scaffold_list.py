"""`aps matrix list` and `aps matrix schema`, from the files alone."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from aps import matrix, packs
from tests.support import cli


def test_every_known_pack_is_listed_with_its_digest() -> None:
    told = json.loads(cli.call("matrix", "list", "--format", "json").stdout)["packs"]
    assert [one["name"] for one in told] == list(packs.known())
    for one in told:
        loaded = matrix.load(packs.find(one["name"]))
        assert (one["sha256"], one["system"]) == (loaded.sha256, loaded.system)
        assert (one["states"], one["fencing"]) == (len(loaded.states), loaded.fencing)
        assert (one["path"], one["faults"]) == (str(loaded.path), 0)


def test_every_format_tells_the_same_packs() -> None:
    lines = cli.call("matrix", "list", "--format", "jsonl").stdout.splitlines()
    rows = list(csv.DictReader(io.StringIO(cli.call("matrix", "list", "--format", "csv").stdout)))
    names = list(packs.known())
    assert [json.loads(line)["name"] for line in lines[1:]] == names
    assert [row["name"] for row in rows] == names
    for format in ("table", "markdown"):
        text = cli.call("matrix", "list", "--format", format).stdout
        assert all(name in text for name in names)


def test_a_broken_pack_is_listed_with_its_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(packs.HOME / "matrix.yaml", tmp_path)
    shutil.copytree(packs.HOME / "queries", tmp_path / "queries")
    for name, text in {"bad": "matrix: 2\nsystem: x\n", "worse": "{", "void": ""}.items():
        (tmp_path / "packs" / name).mkdir(parents=True)
        (tmp_path / "packs" / name / "matrix.yaml").write_text(text)
    monkeypatch.setattr(packs, "HOME", tmp_path)
    result = cli.call("matrix", "list")
    assert (result.code, result.stderr) == (0, "")
    assert "exports" in result.stdout
    told = json.loads(cli.call("matrix", "list", "--format", "json").stdout)["packs"]
    broken = {one["name"]: one for one in told if one["faults"]}
    assert set(broken) == {"bad", "worse", "void"}
    assert broken["bad"]["faults"] > 1
    assert broken["bad"]["first_fault"].startswith("matrix.yaml:1:")


def test_the_schema_is_printed_as_it_ships() -> None:
    shipped = packs.HOME / "cli/aps/schemas/matrix.schema.json"
    assert cli.call("matrix", "schema").stdout == shipped.read_text(encoding="utf-8")
