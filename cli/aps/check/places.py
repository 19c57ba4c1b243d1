"""Where in a pack a fault stands: a line of matrix.yaml or of a query."""

from __future__ import annotations

from aps import packs
from aps.matrix import source, sql
from aps.model.matrix import Matrix, Query


def code(query: Query) -> sql.SqlFile:
    """The statement, scanned; its lines are those of its file."""
    return sql.scan(query.file, query.sql)


def line(query: Query, *words: str, last: bool = False) -> int:
    """The line of the first of these words that stands in the code; without one where the statement begins."""
    scanned = code(query)
    for word in words:
        found = [token for token in scanned.code if token.text.lower().strip('"') == word.lower()]
        if found:
            return _line(scanned, found[-1 if last else 0].start)
    return _line(scanned, next((token.start for token in scanned.code), 0))


def answer(query: Query, *, last: bool = False) -> tuple[str, int]:
    """The word behind which the columns stand that the statement returns, SELECT or RETURNING, and its line."""
    scanned = code(query)
    depth = 0
    found = []
    for token in scanned.code:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.text.upper() in ("SELECT", "RETURNING"):
            found.append((token.text.upper(), _line(scanned, token.start)))
    return found[-1 if last else 0] if found else ("SELECT", line(query))


def _line(scanned: sql.SqlFile, at: int) -> int:
    return scanned.text.count("\n", 0, at) + 1


def in_matrix(matrix: Matrix, *path: str) -> int:
    """The line of a key of matrix.yaml, or of the nearest above it."""
    text = source.read((matrix.path / packs.FILE).read_bytes())
    return text.key_fault(path, "").line
