"""What a check of a pack found, for a person: faults with their places and remedies, then how far was looked."""

from __future__ import annotations

from aps.model.checked import Checked, Finding, Severity, Totality
from aps.render import grid, heading, prose
from aps.render import records as flat
from aps.render.grid import Column, Row
from aps.render.records import Records
from aps.render.view import Mark, View

_MARKS: dict[Severity, Mark] = {"fault": "!!", "undetermined": "?", "warning": " !"}
_COLUMNS = ("severity", "file", "line", "sentence", "remedy")


def text(checked: Checked, view: View) -> str:
    """The place checked, the table worst first, what was looked at, and whether the states are total."""
    scope = [counted(checked), *total(checked.totality)]
    lines = [
        "\n".join(prose.wrapped(view.words(line), view.columns, rest="  "))
        for line in scope
        if line
    ]
    return prose.paragraphs([[_head(checked, view)], [_findings(checked, view)], lines])


def records(checked: Checked) -> Records:
    """One row a finding."""
    rows = ({name: getattr(found, name) for name in _COLUMNS} for found in checked.findings)
    return flat.of(rows, _COLUMNS)


def parts(checked: Checked) -> list[str]:
    """What was checked, where."""
    told = [f"matrix {checked.pack.name}", checked.pack.sha256[:8]]
    server = checked.database
    if server is None:
        return [*told, "files only"]
    version = f"PostgreSQL {server.server_version}"
    if checked.scratch:
        return [*told, f"{checked.system} on a private, empty {version}"]
    where = heading.at(server.host, server.name)
    return [*told, f"{checked.system} on {where} as {server.role}", version]


def _head(checked: Checked, view: View) -> str:
    return prose.line([view.words(part) for part in parts(checked)], view, "  ")


def _findings(checked: Checked, view: View) -> str:
    if not checked.findings:
        return "no faults"
    columns = [
        Column("WHERE", whole=True, named=False),
        Column("WHAT", named=False),
        Column("REMEDY", named=False),
    ]
    return grid.text(columns, [_row(found, view) for found in checked.findings], view)


def _row(found: Finding, view: View) -> Row:
    cells = (found.place, found.sentence, found.remedy)
    return Row(tuple(view.words(cell) for cell in cells), _MARKS[found.severity])


def counted(checked: Checked) -> str:
    """What was done; nothing of a pack of which only the files were read."""
    counts = checked.counts
    if checked.database is None:
        return "checked: the files only; the database is asked when they have no faults"
    return (
        f"checked: {counts.described} of {counts.queries} queries described, {counts.planned} planned, "
        f"{counts.tried_with_keys} tried with five keys; none that writes was run"
    )


def total(totality: Totality) -> list[str]:
    """One line, and one for each doubt."""
    if totality.verdict == "not_checked":
        return [f"totality: not checked, {totality.reason}"]
    if totality.verdict == "ok":
        return [f"totality: each of {totality.population} jobs is in exactly one lifecycle state"]
    lines = [f"totality: broken, of {totality.population} jobs in the population"]
    for doubt in totality.doubts:
        by = f" ({', '.join(doubt.states)})" if doubt.states else ""
        lines.append(f"  {doubt.kind} {doubt.jobs}{by}: {', '.join(doubt.examples)}")
    return lines
