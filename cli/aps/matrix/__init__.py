"""Load a pack: matrix.yaml and its queries, with every fault told at once and at its place."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from aps.errors import MatrixError
from aps.matrix import build, files, queries, rules, shapefaults, source, sql
from aps.matrix.faults import tell
from aps.matrix.shape import schema
from aps.model.matrix import Matrix

__all__ = ["load", "schema"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def load(pack: Path, overrides: Mapping[str, str] = _NOTHING) -> Matrix:
    """The matrix of the pack in that folder; `overrides` are the texts given by `--set`.

    Raises MatrixError with one line a fault, and Usage for an override that does not fit.
    """
    pack = pack.resolve()
    read = files.read(pack)
    text = source.read(read.matrix)
    if text.tree is None:
        raise MatrixError(tell(text.faults))
    scanned = {file: sql.scan(file, content) for file, content in read.texts.items()}
    wanted = queries.asked(text)
    undone = frozenset(name for name in text.names("states") if _undo(name) in scanned)
    shape, misshapen = shapefaults.faults(text)
    found = tell(
        itertools.chain(
            text.faults,
            misshapen,
            rules.faults(text, undone),
            queries.faults(text, wanted, read, scanned),
        )
    )
    if found or shape is None:
        raise MatrixError(found)
    return build.matrix(pack, shape, read, scanned, overrides)


def _undo(state: str) -> str:
    return queries.file_of(state, "undo")
