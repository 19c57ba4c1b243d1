"""Load a pack: matrix.yaml and its queries, with every fault told at once and at its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from aps.errors import MatrixError
from aps.matrix import build, files, queries, rules, shapefaults, source, sql
from aps.matrix.faults import Fault, gather, tell
from aps.matrix.shape import MatrixShape, schema
from aps.model.matrix import Matrix

__all__ = ["Fault", "faults", "load", "schema", "sha256"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def load(pack: Path, overrides: Mapping[str, str] = _NOTHING) -> Matrix:
    """The matrix of the pack in that folder; `overrides` are the texts given by `--set`.

    Raises MatrixError with one line a fault, and Usage for an override that does not fit.
    """
    pack = pack.resolve()
    read = _read(pack)
    found = tell(_faults(read))
    if found or read.shape is None:
        raise MatrixError(found)
    return build.matrix(pack, read.shape, read.files, read.scanned, overrides)


def faults(pack: Path) -> list[Fault]:
    """What `load` would raise, fault by fault, in the order of their places. Raises MatrixError without matrix.yaml."""
    return gather(_faults(_read(pack.resolve())))


def sha256(pack: Path) -> str:
    """The digest that pins the pack, whatever its faults. Raises MatrixError without matrix.yaml."""
    return files.read(pack.resolve()).sha256


@dataclass(frozen=True, slots=True)
class _Pack:
    """The files of a pack, as far as they can be read."""

    files: files.Files
    text: source.Source
    scanned: Mapping[str, sql.SqlFile]
    shape: MatrixShape | None
    misshapen: tuple[Fault, ...]


def _read(pack: Path) -> _Pack:
    read = files.read(pack)
    text = source.read(read.matrix)
    if text.tree is None:
        return _Pack(read, text, {}, None, ())
    scanned = {file: sql.scan(file, content) for file, content in read.texts.items()}
    shape, misshapen = shapefaults.faults(text)
    return _Pack(read, text, scanned, shape, tuple(misshapen))


def _faults(pack: _Pack) -> Iterator[Fault]:
    yield from pack.text.faults
    if pack.text.tree is None:
        return
    undone = (name for name in pack.text.names("states") if _undo(name) in pack.scanned)
    yield from pack.misshapen
    yield from rules.faults(pack.text, frozenset(undone))
    yield from queries.faults(pack.text, queries.asked(pack.text), pack.files, pack.scanned)


def _undo(state: str) -> str:
    return queries.file_of(state, "undo")
