"""The text of matrix.yaml, commented: what was guessed stands beside what it decided."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from string import Template

from aps.model.matrix import CORE_STATES
from aps.scaffold.guesses import Guess
from aps.scaffold.queries import template
from aps.scaffold.roles import Roles
from aps.scaffold.states import SILENT_AFTER, ZONE, Draft
from aps.scaffold.table import Table

_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z_][\w ,.;/()'-]*[\w)']|[A-Za-z]")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "none", "y", "n"})

_ABSENT = {
    "unconfirmed_materialization": "a job is a row, whole from its beginning",
    "ready": "no value of the table was recognised as waiting for a worker",
    "live_lease": "no time says until when a claim holds",
    "adoption": "no time says that a claim is over",
    "orphan_candidate": "a worker leaves nothing but the row, as far as the table tells",
    "confirmed_publication": "no value of the table was recognised as done",
    "missing_artifact": "the table names no file",
}
_SPECIFIC = {
    "other_value": "CHECK: give each value that you know a state of its own; this one holds what is left.",
    "no_value": "CHECK: may this be? If not, a NOT NULL constraint is better than a state.",
}
_GUESSED = {
    "ready": "it waits for a worker",
    "running": "a worker has it",
    "done": "it is done and stays as it is",
    "failed": "it is over, without a result",
}


def text(table: Table, roles: Roles, drafts: Sequence[Draft], guesses: Sequence[Guess]) -> str:
    names = [scalar(key.name) for key in table.key]
    key = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
    filled = {
        "table": scalar(table.name),
        "system": scalar(table.name.rpartition(".")[2]),
        "key": key,
        "fencing": _fencing(roles),
        "parameters": "\n".join(_parameters(table, roles, drafts)),
        "states": "\n\n".join("\n".join(_state(one, roles, drafts)) for one in drafts),
        "absent": "\n".join(_absent(drafts)),
    }
    head = "\n".join(line for one in guesses for line in _guess(one))
    made = Template(template("matrix.txt")).substitute(filled)
    before, after = made.split("\nmatrix: 1\n", 1)
    return re.sub(r"\n{3,}", "\n\n", f"{before}\n{head}\nmatrix: 1\n{after}")


def _guess(guess: Guess) -> Iterator[str]:
    yield from commented(f"GUESS {guess.about}: {guess.what} ({guess.why}). CHECK: {guess.check}.")


def commented(said: str, indent: str = "") -> list[str]:
    plain = "".join(c if c.isprintable() else "?" for c in said)
    lines = textwrap.wrap(plain, _WIDTH - len(indent), break_long_words=False)
    return [
        f"{indent}# {line}" if n == 0 else f"{indent}#   {line}" for n, line in enumerate(lines)
    ]


def _fencing(roles: Roles) -> str:
    said = (
        "Never guessed: nothing in a table's columns shows that a late worker's write is refused."
    )
    if roles.generation:
        said += f" The column {roles.generation.name} is the chance to make it so."
    return "\n".join(commented(said))


def _parameters(table: Table, roles: Roles, drafts: Sequence[Draft]) -> Iterator[str]:
    found = []
    if any(draft.name in ("beating", "silent") for draft in drafts):
        said = "a claim without a heartbeat for so long is silent"
        found.append(f"  {SILENT_AFTER}: {{type: interval, default: 5 min, means: {said}}}")
    if _zoned(drafts, roles):
        said = "the zone of the times that the table holds without one"
        found.append(f"  {ZONE}: {{type: text, default: UTC, means: {said}}}")
    if found:
        yield "parameters:"
        yield from found


def _zoned(drafts: Sequence[Draft], roles: Roles) -> bool:
    """Only a parameter that a query binds may be declared."""
    shown = [draft.since for draft in drafts]
    bound = [roles.due if draft.name == "scheduled_later" else None for draft in drafts]
    written = [roles.updated] if any(draft.release for draft in drafts) else []
    return any(column and column.is_naive for column in [*shown, *bound, *written])


def _state(draft: Draft, roles: Roles, drafts: Sequence[Draft]) -> Iterator[str]:
    yield from _remarks(draft)
    yield f"  {draft.name}:"
    yield f"    means: {scalar(draft.means)}"
    if draft.not_:
        yield f"    not: {scalar(draft.not_)}"
    if draft.liveness:
        yield f"    liveness: {draft.liveness}"
    yield from _doing(draft, roles)
    if moves := _moves(draft, drafts):
        yield "    moves:"
        yield from (f"      {to}: {by}" for to, by in moves.items())


def _remarks(draft: Draft) -> Iterator[str]:
    if draft.name in _SPECIFIC:
        yield f"  # {_SPECIFIC[draft.name]}"
    elif draft.of.sort == "other" and not draft.of.sure:
        unknown = (
            f"CHECK: {draft.of.said} was not recognised and counts as unfinished (see --value)."
        )
        yield from commented(unknown, "  ")
    elif sort := None if draft.of.sure else _GUESSED.get(draft.of.sort):
        yield from commented(f"GUESS: {draft.of.said} means that {sort}.", "  ")
    if draft.finished and draft.window is None:
        yield "  # No column holds the time when it was finished, so all of them are counted at every look."


def _doing(draft: Draft, roles: Roles) -> Iterator[str]:
    if draft.name in ("other_value", "no_value"):
        yield "    severity: {warning: 1}"
    if not draft.release:
        if draft.of.sort == "ready" and draft.since:
            yield "    # severity: {warning: {age: 15 min}, critical: {age: 2 h}}   how long may a job wait?"
        yield "    action: none"
        return
    to = draft.release.name
    yield f"    action: {{run: reclaim, to: {to}, attest: all-workers-stopped, effect: {to} again}}"
    yield "    rollback:"
    yield "      criterion: a row is not just as a ready one after the release"
    why = (
        f"{roles.generation.name} has risen, and the old claim cannot be given back"
        if roles.generation
        else "the old claim cannot be given back, and nothing tells its worker"
    )
    yield f"      irreversible: {scalar(why)}"
    yield "    next: stop every worker, see that they have ended, then release it on purpose"
    yield "    forbidden: release it while any worker may run; take its age for a dead worker"


def _moves(draft: Draft, drafts: Sequence[Draft]) -> dict[str, str]:
    """What takes a job onwards by itself, where both ends are known."""
    names = {one.name: one for one in drafts}
    running = [one.name for one in drafts if one.of.sort == "running"][:1]
    if draft.name == "scheduled_later":
        return {draft.of.name: "its time comes"}
    if draft.of.sort == "ready":
        return dict.fromkeys(running, "a worker claims it")
    if draft.of.sort != "running" or draft.name not in running:
        return {}
    moves = {one.name: "its worker ends it so" for one in drafts if one.finished}
    onwards = {"adoption": "its time is over", "silent": "its worker falls silent"}
    return moves | {to: by for to, by in onwards.items() if to in names and to != draft.name}


def _absent(drafts: Sequence[Draft]) -> Iterator[str]:
    states = {draft.name for draft in drafts}
    missing = [name for name in CORE_STATES if name not in states]
    if missing:
        yield "# CHECK: each reason; these seven are looked for in every queue."
        yield "absent:"
        yield from (f"  {name}: {_why(name, drafts)}" for name in missing)


def _why(name: str, drafts: Sequence[Draft]) -> str:
    sort = {"ready": "ready", "confirmed_publication": "done"}.get(name)
    if called := next((one.name for one in drafts if one.of.sort == sort), None):
        return f"it is called {called} here"
    running = next((one.name for one in drafts if one.of.sort == "running"), None)
    see = {"live_lease": running, "adoption": _silent(drafts) or running}.get(name)
    return f"{_ABSENT[name]}{f'; see {see}' if see else ''}"


def _silent(drafts: Iterable[Draft]) -> str | None:
    return next((one.name for one in drafts if one.name == "silent"), None)


def scalar(said: str) -> str:
    """Text as YAML takes it: plain where nothing in it means anything else."""
    plain = "".join(c if c.isprintable() else "?" for c in said)
    if _PLAIN.fullmatch(plain) and plain.lower() not in _WORDS:
        return plain
    return json.dumps(plain, ensure_ascii=False)
