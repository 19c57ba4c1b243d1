"""Packs made for a test: the reference pack with some files altered, and small ones for foreign tables."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from aps import matrix, packs
from aps.model.matrix import Matrix


def reference_with(folder: Path, files: Mapping[str, str]) -> Matrix:
    """The reference pack, with these texts in place of its files or beside them."""
    shutil.copy(packs.HOME / "matrix.yaml", folder)
    shutil.copytree(packs.HOME / "queries", folder / "queries")
    return _written(folder, files)


def made(folder: Path, files: Mapping[str, str]) -> Matrix:
    """A pack of these files alone."""
    return _written(folder, files)


def _written(folder: Path, files: Mapping[str, str]) -> Matrix:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return matrix.load(folder)
