"""The packs that are at hand, as they leave in JSON."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class ListedPack:
    """`name` is what `--pack` takes. A pack with `faults` has no more to tell than its folder."""

    name: str
    path: str
    system: str | None
    table: str | None
    states: int | None
    fencing: str | None
    sha256: str | None
    faults: int
    first_fault: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    format_version: str
    packs: tuple[ListedPack, ...]
