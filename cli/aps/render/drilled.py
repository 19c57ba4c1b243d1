"""A drill for people: each rehearsal as it ends, then a line each, the interleavings, the mutants, one last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aps.exits import Exit
from aps.model.drill import Drill, Explored, Mutant, Observation, Rehearsal, Verdict
from aps.render import grid, prose
from aps.render.grid import Column, Row
from aps.render.prose import labelled
from aps.render.view import Mark, View

_INDENT = " " * 4
_LABEL = 16
# In the last line; the table has them all.
_NAMED = 6
_MARKS: Mapping[Verdict, Mark] = MappingProxyType({"broken": "!!", "unfinished": "?", "holds": ""})
_SHOUTED: Mapping[Verdict, str] = MappingProxyType(
    {"broken": "BROKEN", "unfinished": "UNFINISHED", "holds": "holds"}
)
_REHEARSALS = (
    Column("NUMBER", right=True, named=False),
    Column("KIND"),
    Column("TITLE", named=False),
    Column("VERDICT"),
    Column("SECONDS", right=True),
)
_EXPLORED = (
    Column("PROGRAM"),
    Column("SESSIONS"),
    Column("INTERLEAVINGS", right=True),
    Column("WAITS", right=True),
)
_MUTANTS = (Column("OF"), Column("REMOVED"), Column("NOTICE"), Column("BY"))


def rehearsal(one: Rehearsal, view: View) -> str:
    """One that has just ended: what was done, what was seen, what that proves and what it does not."""
    mark = _MARKS[one.verdict]
    parts = [
        f"{one.number} {view.words(one.title)}",
        one.kind,
        _SHOUTED[one.verdict],
        f"{one.seconds:.1f} s",
    ]
    head = prose.line(parts, view, _INDENT, first=f"{mark:<4}")
    did = [_told(view.words(text), view, "" if n else "done") for n, text in enumerate(one.done)]
    saw = [_seen(seen, view, "" if n else "seen") for n, seen in enumerate(one.observations)]
    ended = _told(view.words(one.error or ""), view, "ended by", "?")
    proves = _told(
        view.words(one.proves), view, "proves" if one.verdict == "holds" else "would prove"
    )
    lines = [view.paint(head, mark), *did, *saw, ended, proves]
    lines.append(_told(view.words(one.does_not_prove), view, "not proved"))
    return "\n".join(line for line in lines if line)


def _told(text: str, view: View, label: str = "", mark: Mark = "") -> str:
    """Text that is fit for a terminal, beside its label; nothing where there is none."""
    told = labelled(f"{_INDENT}{label}", text, view, _LABEL)
    return view.paint(f"{mark:<4}{told[4:]}", mark) if told else ""


def _seen(seen: Observation, view: View, label: str) -> str:
    if seen.holds:
        return _told(f"{view.words(seen.what)}: {view.text(seen.observed)}", view, label)
    lines = [
        _told(view.words(seen.what), view, label, "!!"),
        _told(view.text(seen.expected), view, "  expected"),
        _told(view.text(seen.observed), view, "  observed"),
    ]
    return "\n".join(lines)


def text(drill: Drill, view: View) -> str:
    """What stands below the rehearsals once all have ended."""
    return prose.paragraphs(
        [
            [table(drill.rehearsals, view)],
            [_explored(drill.explored, view), *_violations(drill.explored, view)],
            [_mutants(drill.mutants, view)],
            [_totals(drill, view)],
            [_last(drill, view)],
        ]
    )


def table(rehearsals: Sequence[Rehearsal], view: View) -> str:
    """A line each."""
    rows = [
        Row(
            (
                str(one.number),
                one.kind,
                view.words(one.title),
                _SHOUTED[one.verdict],
                f"{one.seconds:.1f}",
            ),
            _MARKS[one.verdict],
        )
        for one in rehearsals
    ]
    return grid.text(_REHEARSALS, rows, view) if rows else ""


def _explored(explored: Sequence[Explored], view: View) -> str:
    rows = [
        Row(
            (
                view.words(one.program),
                view.words(_sessions(one)),
                f"{one.interleavings:,}",
                f"{one.waits:,}",
            ),
            "!!" if one.violations else "",
        )
        for one in explored
    ]
    return grid.text(_EXPLORED, rows, view) if rows else ""


def _sessions(one: Explored) -> str:
    return "; ".join(f"{name}: {', '.join(steps)}" for name, steps in one.sessions.items())


def _violations(explored: Sequence[Explored], view: View) -> list[str]:
    """Which invariant, and the steps that led there."""
    lines = []
    for one in explored:
        for violation in one.violations:
            said = f"{one.program}: {violation.invariant}: {violation.detail}"
            after = f"{said}; after {', '.join(violation.steps)}"
            told = prose.wrapped(view.words(after), view.columns, f"{'!!':<4}", _INDENT)
            lines.append(view.paint("\n".join(told), "!!"))
    return lines


def _mutants(mutants: Sequence[Mutant], view: View) -> str:
    rows = [
        Row(
            tuple(view.words(cell) for cell in (one.of, one.removed, _notice(one), one.by)),
            "!!" if one.notice == "missed" else "",
        )
        for one in mutants
    ]
    return grid.text(_MUTANTS, rows, view) if rows else ""


def _notice(one: Mutant) -> str:
    return "MISSED" if one.notice == "missed" else one.notice


def _totals(drill: Drill, view: View) -> str:
    return prose.line([view.words(part) for part in totals(drill)], view, "  ")


def totals(drill: Drill) -> list[str]:
    """How many of each, how long, on what, of which pack."""
    parts = [
        f"{len(drill.rehearsals)} rehearsed: {_counted(drill.counts)}",
        f"{drill.interleavings:,} interleavings" if drill.explored else "",
        _noticed(drill.mutants),
        f"{drill.seconds:.0f} s",
        _server(drill),
        f"pack {drill.pack.name} {drill.pack.sha256[:8]}",
    ]
    return [part for part in parts if part]


def _counted(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(
        f"{number} {'hold' if verdict == 'holds' and number > 1 else verdict}"
        for verdict, number in counts.items()
        if number
    )


def _noticed(mutants: Sequence[Mutant]) -> str:
    if not mutants:
        return ""
    found = Counter(one.notice for one in mutants)
    told = ", ".join(f"{number} {notice}" for notice, number in found.items())
    return f"{len(mutants)} mutants: {told}"


def _server(drill: Drill) -> str:
    """`PostgreSQL 18.6` of all that it says of itself."""
    return " ".join(drill.versions["postgresql"].split()[:2])


def _last(drill: Drill, view: View) -> str:
    """The one line for who reads no other."""
    worst: Mark = "!!" if drill.exit_code == Exit.CRITICAL else "?" if drill.exit_code else ""
    told = prose.wrapped(view.words(verdict(drill)), view.columns, rest="  ")
    return view.paint("\n".join(told), worst)


def verdict(drill: Drill) -> str:
    """Whether all holds, or what does not."""
    broken = [_name(one) for one in drill.rehearsals if one.verdict == "broken"]
    broken += [f"an invariant in {one.program}" for one in drill.explored if one.violations]
    broken += [f"{one.of} without {one.removed}" for one in drill.mutants if one.notice == "missed"]
    open_ = [_name(one) for one in drill.rehearsals if one.verdict == "unfinished"]
    told = [f"BROKEN: {_first(broken)}"] if broken else []
    told += [f"UNFINISHED: {_first(open_)}"] if open_ else []
    if told:
        return f"drill: {'. '.join(told)}"
    parts = [f"{_all(drill)} on {_server(drill)}"]
    parts += [f"{drill.interleavings:,} interleavings"] if drill.explored else []
    parts += [f"{len(drill.mutants)} mutants noticed or redundant"] if drill.mutants else []
    return f"drill: {', '.join(parts)}"


def _first(names: Sequence[str]) -> str:
    more = f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more


def _all(drill: Drill) -> str:
    many = len(drill.rehearsals)
    if not drill.asked:
        return f"all {many} hold"
    return (
        f"the {many} that were asked for hold" if many > 1 else "the one that was asked for holds"
    )


def _name(one: Rehearsal) -> str:
    return f"{one.number} {one.name.replace('-', ' ')}"
