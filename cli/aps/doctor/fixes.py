"""The statements to paste that are no grants: sql/doctor/fix/NAME.sql."""

from __future__ import annotations

from aps import statements
from aps.snapshot import sql_name


def fix(name: str, **names: str) -> tuple[str, ...]:
    """Its lines, for these names as they are in the catalogue."""
    quoted = {key: sql_name(value) for key, value in names.items()}
    lines = statements.read(f"doctor/fix/{name}").splitlines()
    return tuple(line.format(**quoted) for line in lines if not line.startswith("--"))
