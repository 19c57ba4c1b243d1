"""A copy of a shipped pack with one thing in it made wrong, and what the check must say of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aps import packs
from aps.model.checked import Checked, Finding, Severity

YAML = packs.FILE


@dataclass(frozen=True, slots=True)
class Planted:
    """`old` in `file` becomes `new`; an `old` of "" makes or replaces the file.

    The fault must be told at the line of `at` (a text that stands in the changed file once; "" where no line can be
    told), in these words, with that remedy. `where` names another file, where the fault is told elsewhere.
    """

    name: str
    file: str
    old: str
    new: str
    at: str
    told: str
    remedy: str
    severity: Severity = "fault"
    where: str | None = None
    before: bytes = b""


def ids(planted: Iterable[Planted]) -> list[str]:
    return [one.name for one in planted]


def copied(folder: Path) -> Path:
    """The reference pack, whole."""
    pack = folder / "copied"
    pack.mkdir()
    shutil.copy(packs.HOME / YAML, pack)
    shutil.copytree(packs.HOME / "queries", pack / "queries")
    return pack


def pack(folder: Path, planted: Planted) -> Path:
    made = copied(folder)
    file = made / planted.file
    if planted.old:
        text = file.read_text(encoding="utf-8")
        assert planted.old in text, f"{planted.old!r} must stand in {planted.file}"
        file.write_text(text.replace(planted.old, planted.new, 1), encoding="utf-8")
    else:
        file.write_text(planted.new, encoding="utf-8")
    return made


def line(made: Path, planted: Planted) -> int | None:
    """Where the fault must be told."""
    if not planted.at:
        return None
    text = (made / (planted.where or planted.file)).read_text(encoding="utf-8")
    assert text.count(planted.at) == 1, f"{planted.at!r} must stand once there"
    return text[: text.index(planted.at)].count("\n") + 1


def caught(checked: Checked, made: Path, planted: Planted) -> Finding:
    """The finding of the planted fault, held to all that is known of it."""
    file = planted.where or planted.file
    found = [
        one
        for one in checked.findings
        if (one.file, one.line) == (file, line(made, planted)) and planted.told in one.sentence
    ]
    assert len(found) == 1, [(one.place, one.sentence, one.remedy) for one in checked.findings]
    assert planted.remedy in found[0].remedy, found[0]
    assert found[0].severity == planted.severity, found[0]
    return found[0]
