"""The lines that say which database this is, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from aps.model.report import Finding, PackRef, Report, Server, Versions
from aps.render import age, prose
from aps.render.view import View

# Below this the clocks of the two machines agree, for a person.
_SAME_CLOCK = 1.0

_UNREAD = "could not be read: "


def place(host: str, database: str, view: View) -> str:
    """`HOST/DB`; a folder of sockets is told as it is."""
    return view.words(at(host, database))


def at(host: str, database: str) -> str:
    return f"{host}/{database}" if host else database


def report(report: Report, view: View) -> str:
    """`aps · SYSTEM on HOST/DB as ROLE · ...`, wrapped between its parts."""
    parts = where("aps", report.system, report.database, report.as_of, report.pack, view)
    parts += _versions(report.versions, view)
    if report.store.url:
        parts.append(view.words(f"store {report.store.url}, {report.store.level}"))
    return prose.line([*parts, *_clock(report.database)], view, "  ")


def where(
    what: str, system: str, server: Server, as_of: str, pack: PackRef, view: View
) -> list[str]:
    """What was asked, of which queue, where, as whom, when and by which matrix."""
    here = place(server.host, server.name, view)
    role = f"{server.role} (superuser)" if server.superuser else server.role
    return [
        what,
        view.words(f"{system} on {here} as {role}"),
        f"{standing(server)}, PostgreSQL {view.words(server.server_version)}",
        age.moment(as_of, None) or view.words(as_of),
        f"matrix {view.words(pack.sha256[:8])}",
    ]


def standing(server: Server) -> str:
    """`primary`, or `standby` with how far it is behind."""
    return f"standby ({age.lag(server.lag)})" if server.in_recovery else "primary"


def _versions(versions: Versions | None, view: View) -> list[str]:
    """Which version is here; where that is not known, those that the pack is for; loud where it is another."""
    if versions is None:
        return []
    if versions.fault:
        return [view.paint(view.words(f"WRONG VERSION? {versions.fault}"), "?")]
    tried = f"for version {' or '.join(versions.tried)}"
    return [view.words(f"version {versions.found}" if versions.found else tried)]


def _clock(server: Server) -> list[str]:
    difference = server.clock_difference_seconds
    if abs(difference) <= _SAME_CLOCK:
        return []
    side = "ahead" if difference > 0 else "behind"
    return [f"clock differs by {age.text(abs(difference))}: this machine is {side}"]


def name(finding: Finding, view: View) -> str:
    return view.words(finding.title)


def at_level(finding: Finding, view: View) -> str:
    """The name, for a state of files with how far these were looked at."""
    return f"{name(finding, view)} ({finding.level})" if finding.level else name(finding, view)


def files(report: Report, view: View) -> str:
    """What a person should read of the look at files; empty where nobody looked."""
    lines = (
        line
        for note in report.store.notes
        for line in prose.wrapped(f"files: {view.words(note)}", view.columns, rest="  ")
    )
    return "\n".join(lines)


def unread(report: Report, findings: Sequence[Finding], view: View) -> str:
    """`could not be read: ...`, each with why; `nothing` where everything was."""
    # One missing grant makes many states unread: its reason is told once.
    unread: dict[str, list[str]] = {}
    for finding in findings:
        if finding.verdict == "undetermined":
            unread.setdefault(finding.error or "no reason is known", []).append(name(finding, view))
    told = [f"{', '.join(titles)} ({view.words(why)})" for why, titles in unread.items()]
    if report.store.error and report.store.error not in unread:
        told.append(view.words(f"store {report.store.url} ({report.store.error})"))
    text = prose.joined(told, view, view.columns - len(_UNREAD)) or "nothing"
    lines = prose.wrapped(f"{_UNREAD}{text}", view.columns, rest="  ")
    return "\n".join(view.paint(line, "?" if told else "") for line in lines)
