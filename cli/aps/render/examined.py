"""`aps doctor` for people: what is wrong, worst first, each with what to paste; what is well in one line."""

from __future__ import annotations

from collections.abc import Sequence

from aps.model.examination import Check, Examination, Verdict
from aps.render import heading, prose
from aps.render.view import Mark, View

_MARKS: dict[Verdict, Mark] = {"critical": "!!", "unknown": "?", "warning": " !"}
_INDENT = " " * 4


def text(examination: Examination, view: View) -> str:
    parts = heading.where(
        "aps doctor",
        examination.system,
        examination.database,
        examination.as_of,
        examination.pack,
        view,
    )
    told = [
        _told(check, view)
        for verdict in (*_MARKS, "not_asked")
        for check in examination.checks
        if check.verdict == verdict and (verdict != "not_asked" or check.remedy)
    ]
    if not any(check.verdict in _MARKS for check in examination.checks):
        told.append("nothing stands in the way of what this role is there for")
    calm = [_listed("ok:", [one for one in examination.checks if one.verdict == "ok"], view)]
    left = [one for one in examination.checks if one.verdict == "not_asked" and not one.remedy]
    calm.append(_listed("not asked:", left, view))
    return prose.paragraphs([[prose.line(parts, view, "  ")], told, calm])


def _told(check: Check, view: View) -> str:
    """`!!  inspect: ...`, and below it the lines to paste, whole."""
    mark = _MARKS.get(check.verdict, "")
    sentence = f"{check.name}: {view.words(check.sentence)}"
    lines = prose.wrapped(sentence, view.columns, f"{mark or ' -':<4}", _INDENT)
    lines[0] = view.paint(lines[0], mark)
    return "\n".join([*lines, *(f"{_INDENT}  {view.words(line)}" for line in check.remedy)])


def _listed(label: str, checks: Sequence[Check], view: View) -> str:
    if not checks:
        return ""
    names = ", ".join(check.name for check in checks)
    return "\n".join(prose.wrapped(f"{label} {names}", view.columns, rest="  "))
