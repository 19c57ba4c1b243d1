"""What the acting commands share: plan, show, ask, apply, show again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aps.commands import console, hints, options, stores
from aps.commands.options import Target
from aps.commands.request import Request
from aps.errors import Refused, Usage
from aps.exits import Exit

if TYPE_CHECKING:
    from aps.files import Sight
    from aps.model.matrix import Matrix
    from aps.model.plan import Plan
    from aps.run import Run

_RETRY_PAUSE_SECONDS = 1.0


def run(request: Request) -> None:
    """Ends the process with the exit code of the plan, or of the operation."""
    target = options.target(request.command, request.reach)
    _reasoned(request, target.matrix)
    settled = _settled(request, target)
    plan, role = _plan(request, target)
    _attested(request, plan)
    if request.plan_out:
        from aps import planfile

        planfile.write(plan, request.plan_out)
        console.say(f"plan saved: {request.plan_out}")
    if settled is not None and not plan.jobs and not plan.refused:
        console.leave(settled)
    if request.yes and plan.writes:
        _has_reason(request)
        console.leave(_worse(settled, _apply(request, target, plan)))
    _show_plan(request, target, plan)
    if not plan.jobs:
        console.leave(Exit.NOTHING_APPLIED)
    if plan.writes and request.reason and console.interactive():
        console.leave(_asked(request, target, plan, role))
    console.leave(Exit.CLEAR)


def _reasoned(request: Request, matrix: Matrix) -> None:
    """Raises Refused where a reason is missing, or says nothing: a pasted placeholder is none."""
    if request.reason is not None and not any(letter.isalnum() for letter in request.reason):
        raise Refused(
            f"--reason {request.reason!r} says nothing: say why, it goes into the journal"
        )
    actions = (state.action for state in matrix.states)
    # What only looks needs no reason; whether it is that is known with the plan.
    if not any(one and one.looks and one.run == request.command for one in actions):
        _has_reason(request)


def _has_reason(request: Request) -> None:
    if request.yes and request.reason is None:
        raise Refused("--yes needs --reason: say why, it goes into the journal")


@contextmanager
def _looking(request: Request, level: stores.Level) -> Iterator[Sight | None]:
    """The store that was given, looked at with progress on stderr. Raises StoreError."""
    given = stores.given(request.store, demo=request.reach.demo)
    with stores.progress(quiet=request.quiet or request.reach.show_sql) as tell:
        yield stores.sight(given, None, level, tell) if given is not None else None


def _attested(request: Request, plan: Plan) -> None:
    """Raises Refused for an attestation that nobody asked for: it would stand in the journal all the same."""
    others = [word for word in request.attested if word != plan.attest]
    if others and plan.jobs:
        asked = f"asks for {plan.attest!r}" if plan.attest else "asks for none"
        raise Refused(f"--attest {others[0]}: for {plan.state} the matrix {asked}")


def _plan(request: Request, target: Target) -> tuple[Plan, str]:
    """The plan, and the role that would apply it. A saved one is held to what an apply would hold it to."""
    from aps import planfile, planning, recorded
    from aps.database import QueryError

    if request.operation:
        with target.session() as database:
            plan = recorded.undo(target.matrix, database, request.operation)
        return plan, plan.role
    if request.plan:
        plan = planfile.read(request.plan)
        if plan.command != request.command:
            raise Usage(f"--plan {request.plan}: it is for `aps {plan.command}`")
        return _saved(request, target, plan)
    try:
        with _looking(request, request.level) as sight, target.session() as database:
            plan = planning.plan(target.matrix, database, request.command, request.selection, sight)
    except QueryError as error:
        raise Refused(f"no plan could be made: {error} ({error.sqlstate})") from error
    return plan, plan.role


def _saved(request: Request, target: Target, plan: Plan) -> tuple[Plan, str]:
    from aps import planning, snapshot

    with _looking(request, "listed") as sight, target.session() as database:
        with database.look():
            server = database.probe()
            planning.check(plan, target.matrix, server, database.clock())
            planning.held_to_matrix(plan, target.matrix)
            seen = snapshot.take(database, target.matrix, server) if sight else None
        if sight and seen:
            plan = planning.held_to_store(plan, seen, sight)
    return plan, server.role


def _show_plan(request: Request, target: Target, plan: Plan) -> None:
    from aps import render

    view = console.view(quiet=request.quiet)
    again = None if request.quiet else hints.again(request, target, plan)
    console.out(render.plan(plan, request.format, view, apply=again))


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


# What a settlement leaves to be looked into, whatever is applied after it; the rest is planned anew.
_LASTING = (Exit.UNKNOWN, Exit.ROW_FAILED)


def _worse(settled: int | None, code: int) -> int:
    from aps import exits

    if settled not in _LASTING or code == Exit.INTERRUPTED:
        return code
    return exits.of_operation([Exit(settled), Exit(code)])


def _settled(request: Request, target: Target) -> int | None:
    """Operations on these jobs that were interrupted between files come to their end first; the worst exit code."""
    if not (request.yes and request.reason and request.acts_on_files):
        return None
    from aps import action, exits, recorded, render

    jobs = request.selection.jobs or None
    with target.session() as database:
        plans = recorded.unfinished(target.matrix, database, jobs)
    codes = []
    for plan in plans:
        if not plan.operation.startswith(request.operation or ""):
            continue
        with _looking(request, "rehashed") as sight:
            done = action.settle(_run(request, target, plan, sight))
        console.say("interrupted before, settled now:")
        console.say(render.operation(done, "table", console.view(quiet=True)))
        codes.append(Exit(done.exit_code))
    if Exit.INTERRUPTED in codes:
        console.leave(Exit.INTERRUPTED)
    return exits.of_operation(codes) if codes else None


def _run(request: Request, target: Target, plan: Plan, sight: Sight | None) -> Run:
    from aps import journal
    from aps.model.operation import Authority
    from aps.run import Run

    signed = Authority(str(request.reason).strip(), request.ticket, request.attested)
    name = f"{request.command}/{plan.operation[:8]}"
    return Run(
        plan=plan,
        matrix=target.matrix,
        authority=journal.signed(signed),
        connect=options.sessions(name, request.reach, target.matrix.schema),
        sight=sight if request.acts_on_files else None,
        batch_size=request.batch_size,
    )


def _apply(request: Request, target: Target, plan: Plan) -> int:
    from aps import action, render

    _second_sighting(target, plan)
    with _looking(request, "rehashed") as sight:
        operation = action.apply(
            _run(request, target, plan, sight),
            retries=request.retries,
            rest=lambda: time.sleep(_RETRY_PAUSE_SECONDS),
        )
    view = console.view(quiet=request.quiet)
    typed = {} if request.quiet else hints.after(request, target, operation)
    console.out(render.operation(operation, request.format, view, typed=typed))
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
