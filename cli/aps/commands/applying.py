"""What the acting commands share: plan, show, ask, apply, show again."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aps.commands import console, options
from aps.commands.options import Format, Reach, Target
from aps.errors import Refused, Usage
from aps.exits import Exit

if TYPE_CHECKING:
    from aps.model.operation import Operation
    from aps.model.plan import Plan
    from aps.planning import Selection

_RETRY_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Request:
    """One acting command as it was typed."""

    command: str
    reach: Reach
    selection: Selection
    plan: Path | None
    plan_out: Path | None
    yes: bool
    reason: str | None
    ticket: str | None
    attested: tuple[str, ...]
    retries: int
    batch_size: int
    format: Format
    quiet: bool


def run(request: Request) -> None:
    """Ends the process with the exit code of the plan, or of the operation."""
    _reasoned(request)
    target = options.target(request.command, request.reach)
    plan, role = _plan(request, target)
    _attested(request, plan)
    if request.plan_out:
        from aps import planfile

        planfile.write(plan, request.plan_out)
        console.say(f"plan saved: {request.plan_out}")
    if request.yes:
        console.leave(_apply(request, target, plan))
    _show_plan(request, target, plan)
    if not plan.jobs:
        console.leave(Exit.NOTHING_APPLIED)
    if request.reason and console.interactive():
        console.leave(_asked(request, target, plan, role))
    console.leave(Exit.CLEAR)


def _reasoned(request: Request) -> None:
    """Raises Refused where a reason is missing, or says nothing: a pasted placeholder is none."""
    if request.reason is not None and not any(letter.isalnum() for letter in request.reason):
        raise Refused(
            f"--reason {request.reason!r} says nothing: say why, it goes into the journal"
        )
    if request.yes and request.reason is None:
        raise Refused("--yes needs --reason: say why, it goes into the journal")


def _attested(request: Request, plan: Plan) -> None:
    """Raises Refused for an attestation that nobody asked for: it would stand in the journal all the same."""
    others = [word for word in request.attested if word != plan.attest]
    if others and plan.jobs:
        asked = f"asks for {plan.attest!r}" if plan.attest else "asks for none"
        raise Refused(f"--attest {others[0]}: for {plan.state} the matrix {asked}")


def _plan(request: Request, target: Target) -> tuple[Plan, str]:
    """The plan, and the role that would apply it. A saved one is held to what an apply would hold it to."""
    from aps import planfile, planning
    from aps.database import QueryError

    if request.plan:
        plan = planfile.read(request.plan)
        if plan.command != request.command:
            raise Usage(f"--plan {request.plan}: it is for `aps {plan.command}`")
        with target.session() as database, database.look():
            server = database.probe()
            planning.check(plan, target.matrix, server, database.clock())
        return plan, server.role
    try:
        with target.session() as database:
            plan = planning.plan(target.matrix, database, request.command, request.selection)
    except QueryError as error:
        raise Refused(f"no plan could be made: {error} ({error.sqlstate})") from error
    return plan, plan.role


def _show_plan(request: Request, target: Target, plan: Plan) -> None:
    from aps import render

    view = console.view(quiet=request.quiet)
    again = None if request.quiet else _again(request, target, plan)
    console.out(render.plan(plan, request.format, view, apply=again))


def _again(request: Request, target: Target, plan: Plan) -> str:
    """The command that applies what was shown, with the attestation that it will ask for."""
    from aps.model import key

    chosen = request.selection
    words: list[str] = []
    file = request.plan or request.plan_out
    if file:
        words += ["--plan", shlex.quote(str(file))]
    elif not chosen.jobs:
        words += ["--all"]
        words += [f"--state {shlex.quote(chosen.state)}"] if chosen.state else []
        words += [
            f"--where {shlex.quote(f'{name}={value}')}" for name, value in chosen.where.items()
        ]
        words += [f"--older-than {options.spoken(chosen.older_than)}"] if chosen.older_than else []
        words += [f"--limit {chosen.limit}"] if chosen.limit else []
    asked = (plan.attest,) if plan.attest else ()
    words += [
        f"--attest {shlex.quote(word)}" for word in dict.fromkeys((*request.attested, *asked))
    ]
    told = " ".join([*words, "--yes", _why(request), target.suffix]).strip()
    return key.typed(f"aps {request.command}", () if file else chosen.jobs, told)


def _why(request: Request) -> str:
    """What was given is repeated; what was not is a placeholder that no apply accepts."""
    reason = shlex.quote(request.reason) if request.reason else '"..."'
    ticket = f" --ticket {shlex.quote(request.ticket)}" if request.ticket else ""
    return f"--reason {reason}{ticket}"


def _asked(request: Request, target: Target, plan: Plan, role: str) -> int:
    """Ask once, naming where, as whom, and how much of all there is."""
    sample = ", ".join(job.job for job in plan.jobs[:5]) + (", ..." if len(plan.jobs) > 5 else "")
    question = (
        f"apply to {len(plan.jobs)} of {plan.found} jobs ({sample}) in {plan.database} on {plan.host} "
        f"as {role}? Only `yes` applies: "
    )
    if not console.confirm(question, "yes"):
        console.say("declined: nothing was changed")
        return Exit.REFUSED
    return _apply(request, target, plan)


def _apply(request: Request, target: Target, plan: Plan) -> int:
    from aps import action, journal, render
    from aps.model.operation import Authority
    from aps.run import Run

    name = f"{request.command}/{plan.operation[:8]}"
    run = Run(
        plan=plan,
        matrix=target.matrix,
        authority=journal.signed(
            Authority(str(request.reason).strip(), request.ticket, request.attested)
        ),
        connect=options.sessions(name, request.reach, target.matrix.schema),
        batch_size=request.batch_size,
    )
    _second_sighting(target, plan)
    operation = action.apply(
        run, retries=request.retries, rest=lambda: time.sleep(_RETRY_PAUSE_SECONDS)
    )
    view = console.view(quiet=request.quiet)
    rest = None if request.quiet else _rest(request, target, operation)
    log = None if request.quiet else _log(request, operation)
    console.out(render.operation(operation, request.format, view, rest=rest, log=log))
    return operation.exit_code


def _second_sighting(target: Target, plan: Plan) -> None:
    """Wait until what was seen on an UNLOGGED table may be seen the second time, under the lock."""
    from aps import permission

    if plan.second_sighting_seconds is None:
        return
    with target.session() as database, database.look():
        left = permission.sightings(plan, database.clock())
    if left > 0:
        console.say(f"seen once on an UNLOGGED table: looking a second time in {left:.0f} s")
        time.sleep(left)


def _rest(request: Request, target: Target, operation: Operation) -> str | None:
    from aps.model import key

    locked = [row.job for row in operation.rows if row.outcome == "locked"]
    again = f"--retries 5 {target.suffix}".strip()
    return key.typed(f"aps {request.command}", locked, again) if locked else None


def _log(request: Request, operation: Operation) -> str | None:
    told = operation.transactions or any(row.outcome == "unknown" for row in operation.rows)
    command = f"aps log {operation.operation[:8]} {options.place(request.reach)}".strip()
    return command if told else None
