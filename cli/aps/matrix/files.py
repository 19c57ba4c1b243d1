"""The files of a pack: SQL texts, what may not be read, and the digest that pins them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aps import packs
from aps.errors import MatrixError
from aps.matrix.faults import Fault
from aps.matrix.source import LARGEST

FOLDER = "queries"


@dataclass(frozen=True, slots=True)
class Files:
    """`texts` maps a file, relative to the pack, to its SQL; `faults` name those left out."""

    matrix: bytes
    texts: Mapping[str, str]
    faults: tuple[Fault, ...]
    sha256: str


def read(pack: Path) -> Files:
    """Every SQL file below queries/. Raises MatrixError where there is no matrix.yaml to read."""
    try:
        matrix = _bytes(pack / packs.FILE)
    except (OSError, ValueError) as error:
        raise MatrixError(f"{packs.FILE}:1:1: {_reason(error)} ({pack})") from error
    digest = hashlib.sha256()
    _add(digest, packs.FILE, matrix)
    texts: dict[str, str] = {}
    faults = []
    for path in sorted(_sql(pack), key=lambda path: path.relative_to(pack).as_posix()):
        file = path.relative_to(pack).as_posix()
        try:
            data = _inside(pack, path)
            _add(digest, file, data)
            texts[file] = data.decode("utf-8-sig")
        except (OSError, ValueError) as error:
            faults.append(Fault(file, 1, None, _reason(error)))
    return Files(matrix, texts, tuple(faults), digest.hexdigest())


def _sql(pack: Path) -> list[Path]:
    paths = (pack / FOLDER).rglob("*.sql")
    return [path for path in paths if not path.name.startswith(".")]


def _inside(pack: Path, path: Path) -> bytes:
    if not path.resolve().is_relative_to(pack.resolve()):
        raise ValueError("leads outside the pack; put the file itself there")
    data = _bytes(path)
    if b"\0" in data:
        raise ValueError("holds a NUL byte; this is no SQL")
    return data


def _bytes(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        # Opening a pipe would wait for ever.
        raise ValueError("not a plain file")
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST and path.name != packs.FILE:
        raise ValueError(f"larger than {LARGEST} bytes; this is no query")
    return data


def _add(digest: hashlib._Hash, name: str, data: bytes) -> None:
    # Lengths keep the end of one file apart from the beginning of the next.
    encoded = name.encode("utf-8", "surrogateescape")
    digest.update(b"%d %s %d\n" % (len(encoded), encoded, len(data)))
    digest.update(data)


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8; save the file as UTF-8"
    if isinstance(error, OSError):
        return f"cannot be read: {(error.strerror or str(error)).lower()}"
    return str(error)
