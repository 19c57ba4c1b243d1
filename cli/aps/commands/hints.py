"""The commands that are printed after a plan or an operation, to be pasted as they stand."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aps.commands import options, stores
from aps.commands.options import Target
from aps.commands.request import Request

if TYPE_CHECKING:
    from aps.model.operation import Operation
    from aps.model.plan import Plan


def again(request: Request, target: Target, plan: Plan) -> str:
    """The command that applies what was shown, with the attestation that it will ask for."""
    from aps.model import key

    chosen = request.selection
    words: list[str] = []
    file = request.plan or request.plan_out
    if request.operation:
        words += [request.operation]
    elif file:
        words += ["--plan", shlex.quote(str(file))]
    else:
        words += _narrowed(request)
    asked = (plan.attest,) if plan.attest else ()
    words += [
        f"--attest {shlex.quote(word)}" for word in dict.fromkeys((*request.attested, *asked))
    ]
    told = [*words, "--yes", _why(request), target.suffix, request.words]
    jobs = () if file else chosen.jobs
    return key.typed(f"aps {request.command}", jobs, stores.joined(*told))


def _narrowed(request: Request) -> list[str]:
    chosen = request.selection
    words = [] if chosen.jobs else ["--all"]
    words += [f"--state {shlex.quote(chosen.state)}"] if chosen.state else []
    words += [f"--where {shlex.quote(f'{name}={value}')}" for name, value in chosen.where.items()]
    words += [f"--older-than {options.spoken(chosen.older_than)}"] if chosen.older_than else []
    words += [f"--limit {chosen.limit}"] if chosen.limit else []
    return words + (["--level rehashed"] if request.level == "rehashed" else [])


def _why(request: Request) -> str:
    """What was given is repeated; what was not is a placeholder that no apply accepts."""
    reason = shlex.quote(request.reason) if request.reason else '"..."'
    ticket = f" --ticket {shlex.quote(request.ticket)}" if request.ticket else ""
    return f"--reason {reason}{ticket}"


def after(request: Request, target: Target, operation: Operation) -> dict[str, str]:
    """What to type next, by what it is for."""
    commands = {
        "rest": _rest(request, target, operation),
        "undo": _undo(request, target, operation),
        "log": _log(request, operation),
    }
    return {name: command for name, command in commands.items() if command}


def _undo(request: Request, target: Target, operation: Operation) -> str | None:
    """The way back, where there is one."""
    state = target.matrix.state(operation.state)
    rollback = state.rollback if state else None
    if request.operation or not operation.counts.get("applied"):
        return None
    if rollback is None or rollback.irreversible:
        return None
    return stores.joined(f"aps undo {operation.operation[:8]}", request.words, target.suffix)


def _rest(request: Request, target: Target, operation: Operation) -> str | None:
    from aps.model import key

    if request.operation:
        return None
    locked = list(dict.fromkeys(row.job for row in operation.rows if row.outcome == "locked"))
    state = request.selection.state
    words = [f"--state {shlex.quote(state)}"] if state else []
    again = stores.joined(*words, "--retries 5", target.suffix, request.words)
    return key.typed(f"aps {request.command}", locked, again) if locked else None


def _log(request: Request, operation: Operation) -> str | None:
    told = operation.transactions or any(row.outcome == "unknown" for row in operation.rows)
    command = f"aps log {operation.operation[:8]} {options.place(request.reach)}".strip()
    return command if told else None
