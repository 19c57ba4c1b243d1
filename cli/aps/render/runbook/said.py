"""What a runbook says, in the order in which every format says it. Nothing here is escaped yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from aps.model.matrix import Owner
from aps.model.runbook import ARTIFACTS, FENCING, LIVENESS, Doing, Page, Reached, Runbook
from aps.render import age

# A part of a line: words, something to type or to open as it stands, or the name of a state.
Kind = Literal["words", "code", "state"]


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    kind: Kind = "words"


@dataclass(frozen=True, slots=True)
class Fact:
    """One labelled line of parts, a dot between them, an arrow before a state; `loud` where reading past it harms."""

    label: str
    parts: tuple[Part, ...]
    loud: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    facts: tuple[Fact, ...]


def page(page: Page) -> tuple[Section, ...]:
    """All of one state but its SQL."""
    return (
        Section("What it is", tuple(_kept(_meaning(page)))),
        Section("What may be done", tuple(_kept(_doing(page)))),
        Section("What follows", tuple(_kept(_after(page)))),
    )


def action(page: Page) -> tuple[str, str]:
    """In two words: what may be done, and whether it can be undone; `-` where there is nothing to undo."""
    doing = page.action
    if doing is None:
        return "none", "-"
    if _only_reads(doing):
        return doing.run, "-"
    if doing.irreversible:
        return doing.run, "no"
    return doing.run, "yes" if doing.undo else "by hand"


def _only_reads(doing: Doing) -> bool:
    """Is there nothing to apply: every other action of aps is, and one by hand is not aps's."""
    return doing.apply is None and doing.run != "manual"


def head(book: Runbook) -> tuple[Fact, ...]:
    """What holds for every state of the queue."""
    lease = book.max_lease_seconds
    facts = [
        _fact("pack", Part(book.pack.name), Part(book.pack.sha256[:12], "code")),
        _fact("table", Part(book.table, "code")),
        _fact("key", Part("/".join(book.key), "code")),
        _fact("fencing", Part(f"{book.fencing}: {FENCING[book.fencing]}")),
        _fact("liveness", Part(_alive(book))),
        _fact("longest lease", Part(age.window(lease)) if lease is not None else None),
        _fact("scope", Part(book.scope) if book.scope else None),
        _fact("tried on", Part(", ".join(book.versions)) if book.versions else None),
        _fact("owner", *_owner(book.owner)),
    ]
    return tuple(_kept(facts))


def _alive(book: Runbook) -> str:
    used = dict.fromkeys(page.liveness for page in book.states if page.liveness != "none")
    return "; ".join(f"{one}: {LIVENESS[one]}" for one in used) or f"none: {LIVENESS['none']}"


def _meaning(page: Page) -> Iterator[Fact]:
    yield _fact("means", Part(page.means))
    yield _fact("does not mean", Part(page.not_) if page.not_ else None, loud=True)
    yield _fact("shown by", Part(page.evidence.file, "code"), Part(page.evidence.says))
    yield _fact("to look", Part(page.look, "code"))
    if page.action:
        yield _fact("held to", Part(_fence(page)))
    if page.action or page.liveness != "none":
        yield _fact("sign of life", Part(f"{page.liveness}: {LIVENESS[page.liveness]}"))
    if page.artifacts:
        yield _fact("files", Part(f"{page.artifacts}: {ARTIFACTS[page.artifacts]}"))
    yield _fact("severity", *_severity(page))
    if page.finished:
        yield _fact("counted", Part("within a window only (--since): these jobs are finished"))
    yield _fact("also shown", *(Part(query.file, "code") for query in page.context))


def _fence(page: Page) -> str:
    free = f" (but for {', '.join(page.reading)}, which may move)" if page.reading else ""
    return f"every column that the query returns{free}: as it was seen, so it must be when the row is locked"


def _severity(page: Page) -> Iterator[Part]:
    if not page.warning and not page.critical:
        yield Part("never needs anybody by itself")
    if page.warning:
        yield Part(f"warning {reached(page.warning)}")
    if page.critical:
        yield Part(f"critical {reached(page.critical)}")


def reached(at: Reached) -> str:
    """`from 2 on, or when the oldest is 15 min old`."""
    told = []
    if at.count is not None:
        told.append("from the first on" if at.count == 1 else f"from {at.count} on")
    if at.age_seconds is not None:
        told.append(f"when the oldest is {age.window(at.age_seconds)} old")
    return ", or ".join(told)


def _doing(page: Page) -> Iterator[Fact]:
    if page.action is None:
        yield _fact("you may", Part("only look: this state has no action"))
    else:
        yield from _action(page, page.action)
    yield _fact("you may not", Part(page.forbidden) if page.forbidden else None, loud=True)
    yield _fact("next", Part(page.next) if page.next else None)


def _action(page: Page, doing: Doing) -> Iterator[Fact]:
    by_hand = doing.run == "manual"
    note = "by hand: aps does not run it" if by_hand else "shows what it would do; changes nothing"
    note = "writes nothing" if _only_reads(doing) else note
    yield _fact("you may", Part(doing.command, "code"), Part(note))
    yield _fact("you vouch for", Part(doing.attest) if doing.attest else None, loud=True)
    yield _fact("to apply", Part(doing.apply, "code") if doing.apply else None)
    if doing.many:
        most = f"at most {doing.limit} at once" if doing.limit else "oldest first"
        yield _fact("for many", Part(doing.many, "code"), Part(most))
    elif not by_hand:
        yield _fact("for many", Part("never in bulk: name each job"))
    yield _fact("then", Part(doing.effect), *(Part(to, "state") for to in doing.to))
    if doing.criterion:
        yield _fact("stops if", Part(doing.criterion))
        yield _fact("way back", *_way_back(doing), loud=doing.irreversible is not None)
    yield _fact("statement", Part(doing.statement.file, "code") if doing.statement else None)
    yield _fact("before commit", Part(doing.abort_file, "code") if doing.abort_file else None)
    yield _fact("after commit", Part(doing.verify_file, "code") if doing.verify_file else None)


def _way_back(doing: Doing) -> Iterator[Part]:
    if doing.irreversible:
        yield Part(f"none: {doing.irreversible}")
    elif doing.undo:
        yield Part(doing.undo, "code")
        yield Part(doing.undo_file, "code") if doing.undo_file else Part("the store puts it back")
    else:
        yield Part("by hand")


def _after(page: Page) -> Iterator[Fact]:
    for move in page.moves:
        yield _fact("moves on", Part(move.by), Part(move.to, "state"))
    yield _fact("tell", Part(page.tell) if page.tell else None)
    yield _fact("outside", Part(page.outside_effects) if page.outside_effects else None)
    yield _fact("done when", Part(page.done_when) if page.done_when else None)
    yield _fact("if it stays", Part(page.retention) if page.retention else None)
    yield _fact("owner", *_owner(page.owner))


def _owner(owner: Owner | None) -> Iterator[Part]:
    if owner:
        yield Part(owner.team)
        yield Part(owner.contact or "")
        yield Part(f"escalate to {owner.escalate}" if owner.escalate else "")


def _fact(label: str, *parts: Part | None, loud: bool = False) -> Fact:
    """Lines that a person broke are one line here."""
    kept = (part for part in parts if part and part.text)
    return Fact(label, tuple(Part(_one_line(part.text), part.kind) for part in kept), loud)


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def _kept(facts: Iterable[Fact]) -> Iterator[Fact]:
    return (fact for fact in facts if fact.parts)
