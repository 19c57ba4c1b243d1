"""Sizes in bytes as people read them."""

from __future__ import annotations

_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def spoken(size: int) -> str:
    """`512 bytes`, `6 kB`, `3 MB`: whole units, rounded down; a unit is used from two of it on."""
    for unit, name in _UNITS:
        if size >= 2 * unit:
            return f"{size // unit} {name}"
    return f"{size} byte{'' if size == 1 else 's'}"
