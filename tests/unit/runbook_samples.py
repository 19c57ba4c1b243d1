"""Runbooks for the tests: the shipped one, and one whose every free text is what the test chooses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aps import matrix, packs
from aps.matrix import runbook
from aps.model.matrix import Move, Owner
from aps.model.runbook import Absent, Doing, Page, Runbook, SqlText

ROOT = Path(__file__).parents[2]


def shipped() -> Runbook:
    return runbook.of(matrix.load(packs.HOME))


def filled(text: str) -> Runbook:
    """The states `adoption`, `ready` and an overlay, with the text wherever a person may write one."""
    book = shipped()
    kept = ("ready", "adoption", "missing_artifact", "orphan_candidate")
    pages = tuple(_page(page, text) for page in book.states if page.state in kept)
    absent = tuple(replace(one, why=text) for one in _absent(book))
    return replace(
        book,
        system=text,
        title=text,
        table=text,
        key=(text, text),
        scope=text,
        versions=(text,),
        owner=Owner(text, text, text),
        parameters=tuple(
            replace(one, value=text, default=text, unit=text, means=text)
            for one in book.parameters[:1]
        ),
        states=pages,
        absent=absent,
    )


def _absent(book: Runbook) -> tuple[Absent, ...]:
    return (*book.absent, Absent("live_lease", ""))


def _page(page: Page, text: str) -> Page:
    return replace(
        page,
        title=text,
        means=text,
        not_=text,
        evidence=_sql(page.evidence, text),
        reading=(text,),
        look=text,
        action=None if page.action is None else _doing(page.action, text),
        moves=(Move("adoption", text),) if page.state == "ready" else (),
        forbidden=text,
        next=text,
        tell=text,
        outside_effects=text,
        done_when=text,
        retention=text,
        owner=Owner(text, text, text),
    )


def _doing(doing: Doing, text: str) -> Doing:
    to = tuple(one for one in doing.to if one == "ready")
    return replace(
        doing,
        to=to,
        effect=text,
        command=text,
        apply=text,
        many=text,
        attest=text,
        criterion=text,
        irreversible=text if to else None,
        undo=None if to else text,
    )


def _sql(query: SqlText, text: str) -> SqlText:
    return SqlText(query.file, text, text)
