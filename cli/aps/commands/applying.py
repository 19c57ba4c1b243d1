"""What the acting commands share: plan, show, ask, apply, show again."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aps.commands import console, options, stores
from aps.commands.options import Format, Reach, Target
from aps.errors import Refused, Usage
from aps.exits import Exit

if TYPE_CHECKING:
    from aps.files import Sight
    from aps.model.matrix import Matrix
    from aps.model.operation import Operation
    from aps.model.plan import Plan
    from aps.planning import Selection
    from aps.run import Run

_RETRY_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Request:
    """One acting command as it was typed. `level` is how far a whole queue or store is looked at to choose.

    `operation` is the one to be undone; then nothing is chosen.
    """

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
    store: str | None = None
    level: stores.Level = "listed"
    operation: str | None = None

    @property
    def acts_on_files(self) -> bool:
        """What was planned by its rows alone is held to its rows alone."""
        return self.command in ("reconcile", "undo")

    @property
    def words(self) -> str:
        """What a printed command repeats of the store."""
        return " ".join(stores.words(self.store, None, "listed", demo=self.reach.demo))


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
        console.leave(_apply(request, target, plan))
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
    given = stores.demo() if request.reach.demo else request.store
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
            seen = snapshot.take(database, target.matrix, server) if sight else None
        if sight and seen:
            plan = planning.held_to_store(plan, seen, sight)
    return plan, server.role


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
    typed = {} if request.quiet else _typed(request, target, operation)
    console.out(render.operation(operation, request.format, view, typed=typed))
    return operation.exit_code


def _typed(request: Request, target: Target, operation: Operation) -> dict[str, str]:
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
    words = [f"aps undo {operation.operation[:8]}", request.words, target.suffix]
    return " ".join(filter(None, words))


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
