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
from aps.model import key

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
    if request.yes and not (request.reason or "").strip():
        raise Refused("--yes needs --reason: say why, it goes into the journal")
    target = options.target(request.command, request.reach)
    plan, role = _plan(request, target)
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
    console.out(render.plan(plan, request.format, view, apply=_again(request, target)))


def _again(request: Request, target: Target) -> str:
    """The command that applies what was shown."""
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
    words += [f"--attest {shlex.quote(word)}" for word in request.attested]
    told = " ".join([*words, '--yes --reason "..."', target.suffix]).strip()
    return key.typed(f"aps {request.command}", () if file else chosen.jobs, told)


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
    operation = action.apply(
        run, retries=request.retries, rest=lambda: time.sleep(_RETRY_PAUSE_SECONDS)
    )
    view = console.view(quiet=request.quiet)
    rest, log = _rest(request, target, operation), _log(request, operation)
    console.out(render.operation(operation, request.format, view, rest=rest, log=log))
    return operation.exit_code


def _rest(request: Request, target: Target, operation: Operation) -> str | None:
    locked = [row.job for row in operation.rows if row.outcome == "locked"]
    again = f"--retries 5 {target.suffix}".strip()
    return key.typed(f"aps {request.command}", locked, again) if locked else None


def _log(request: Request, operation: Operation) -> str | None:
    told = operation.transactions or any(row.outcome == "unknown" for row in operation.rows)
    demo = " --demo" if request.reach.demo else ""
    return f"aps log {operation.operation[:8]}{demo}" if told else None
