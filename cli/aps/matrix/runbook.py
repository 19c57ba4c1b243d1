"""From a matrix to its runbook: every state with the files that show it and the words to type."""

from __future__ import annotations

import re
import shlex
from datetime import timedelta

from aps.model import duration
from aps.model.matrix import Action, Matrix, Parameter, Query, State, Threshold, Value
from aps.model.report import PackRef
from aps.model.runbook import (
    FORMAT_VERSION,
    Absent,
    Doing,
    Page,
    Reached,
    Runbook,
    Setting,
    SqlText,
)

# Stands in a command for what the person has and the matrix does not.
JOB, STORE, OPERATION = "JOB", "--store URL", "OPERATION"
_COMMENT = re.compile(r"(?:[ \t]*--[^\n]*\n?)+|\s*/\*.*?\*/", re.DOTALL)
_MARKS = re.compile(r"^[ \t]*(?:--+|/\*+|\*+/|\*)[ \t]?|[ \t]*\*/$")


def of(matrix: Matrix, suffix: str = "") -> Runbook:
    """`suffix` is what every command needs to reach the same queue."""
    return Runbook(
        format_version=FORMAT_VERSION,
        system=matrix.system,
        title=matrix.title,
        pack=PackRef(matrix.name, matrix.sha256),
        table=matrix.table,
        schema=matrix.schema,
        key=matrix.key,
        fencing=matrix.fencing,
        max_lease_seconds=None if matrix.max_lease is None else matrix.max_lease.total_seconds(),
        scope=matrix.scope,
        versions=matrix.versions,
        owner=matrix.owner,
        parameters=tuple(map(_setting, matrix.parameters.values())),
        states=tuple(_page(state, suffix) for state in matrix.states),
        absent=tuple(Absent(state, why) for state, why in matrix.absent.items()),
    )


def _page(state: State, suffix: str) -> Page:
    return Page(
        state=state.name,
        title=state.title,
        kind=state.kind,
        finished=state.finished,
        means=state.means,
        not_=state.not_,
        evidence=_text(state.evidence),
        reading=state.reading,
        context=tuple(map(_text, state.context)),
        look=_typed(f"aps inspect --state {state.name}", suffix, store=_needs_store(state)),
        liveness=state.liveness,
        artifacts=state.artifacts,
        warning=_reached(state.severity.warning),
        critical=_reached(state.severity.critical),
        action=None if state.action is None else _doing(state, state.action, suffix),
        moves=state.moves,
        forbidden=state.forbidden,
        next=state.next,
        tell=state.tell,
        outside_effects=state.outside_effects,
        done_when=state.done_when,
        retention=state.retention,
        owner=state.owner,
    )


def _needs_store(state: State) -> bool:
    return state.artifacts in ("claimed", "listed")


def _doing(state: State, action: Action, suffix: str) -> Doing:
    manual = action.run == "manual"
    store = action.run == "reconcile" and state.artifacts is not None
    asked = f" --attest {shlex.quote(action.attest)}" if action.attest else ""
    given = f'--yes --reason "..."{asked}'
    command = f"aps {action.run} {JOB}"
    many = f"aps {action.run} --all --state {state.name}"
    # The loader asks for a rollback wherever something is written.
    final = state.rollback.irreversible if state.rollback else None
    reads_only = manual or action.looks
    return Doing(
        run=action.run,
        effect=action.effect,
        to=action.to,
        command=str(action.command) if manual else _typed(command, suffix, store=store),
        apply=None if reads_only else _typed(f"{command} {given}", suffix, store=store),
        many=None if manual or not state.bulk else _typed(many, suffix, store=store),
        limit=state.limit,
        attest=action.attest,
        criterion=state.rollback.criterion if state.rollback else None,
        irreversible=final,
        undo=None if reads_only or final else _typed(f"aps undo {OPERATION}", suffix, store=store),
        statement=None if action.query is None else _text(action.query),
        abort_file=_file(action.abort),
        verify_file=_file(action.verify),
        undo_file=_file(action.undo),
    )


def _typed(command: str, suffix: str, *, store: bool) -> str:
    return " ".join(word for word in (command, STORE if store else "", suffix) if word)


def _file(query: Query | None) -> str | None:
    return None if query is None else query.file


def _text(query: Query) -> SqlText:
    return SqlText(query.file, header(query.sql), query.sql.rstrip())


def header(sql: str) -> str:
    """The comment that a query begins with, as plain sentences."""
    found = _COMMENT.match(sql)
    lines = found[0].split("\n") if found else []
    return "\n".join(_MARKS.sub("", line).strip() for line in lines).strip()


def _reached(threshold: Threshold | None) -> Reached | None:
    if threshold is None:
        return None
    age = threshold.age
    return Reached(threshold.count, None if age is None else age.total_seconds())


def _setting(one: Parameter) -> Setting:
    # A length is written with its own unit.
    unit = None if one.type == "interval" else one.unit
    return Setting(one.name, one.type, _spoken(one.value), _spoken(one.default), unit, one.means)


def _spoken(value: Value) -> str:
    if isinstance(value, timedelta):
        return duration.exact(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
