"""`aps reclaim`: plan, show, and only when told so, apply."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import applying, options
from aps.commands.applying import Request
from aps.commands.options import Reach
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.planning import Selection


def reclaim(
    jobs: Annotated[list[str] | None, typer.Argument(metavar="JOB", help="Jobs by key.")] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="All jobs that the state holds, oldest first, up to the limit."),
    ] = False,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="The state to act upon.")
    ] = None,
    where: options.Where = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="TIME", help="Only jobs in the state for longer, such as 2h."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            parser=options.whole("--limit", 1, 100_000),
            help="Most jobs; 100 unless told.",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Apply. Without it nothing is changed.")
    ] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why; goes into the journal.")
    ] = None,
    ticket: Annotated[
        str | None, typer.Option("--ticket", metavar="TEXT", help="Where it is tracked.")
    ] = None,
    attest: Annotated[
        list[str] | None,
        typer.Option("--attest", metavar="WORD", help="What you vouch for, where the matrix asks."),
    ] = None,
    plan_out: Annotated[
        Path | None, typer.Option("--plan-out", metavar="FILE", help="Save the plan to a new file.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="Apply a saved plan.")
    ] = None,
    retries: Annotated[
        int,
        typer.Option(
            "--retries",
            metavar="N",
            parser=options.whole("--retries", 0, 100),
            help="Tries of locked jobs.",
        ),
    ] = 0,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            metavar="N",
            parser=options.whole("--batch", 1, 10_000),
            help="Jobs a transaction.",
        ),
    ] = 1000,
    dsn: options.Dsn = None,
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
    timeout: options.Timeout = "30s",
    format: options.FormatOption = "table",
    demo: options.Demo = False,
    show_sql: options.ShowSql = False,
    quiet: options.Quiet = False,
) -> None:
    """Give abandoned jobs back to the queue, fenced by the evidence that was seen. Previews unless --yes."""
    reach = Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout)
    narrowed = any(given is not None for given in (state, older_than, limit)) or bool(where)
    if plan and (jobs or everything or narrowed or plan_out):
        raise Usage("--plan has its jobs; name nothing else")
    if not plan:
        _chosen_once(jobs, everything=everything, narrowed=narrowed)
    applying.run(
        Request(
            command="reclaim",
            reach=reach,
            selection=_selection(jobs, state, where, older_than, limit),
            plan=plan,
            plan_out=plan_out,
            yes=yes,
            reason=reason,
            ticket=ticket,
            attested=tuple(attest or ()),
            retries=retries,
            batch_size=batch,
            format=format,
            quiet=quiet,
        )
    )


def _chosen_once(jobs: list[str] | None, *, everything: bool, narrowed: bool) -> None:
    """Raises Usage unless jobs are named, or many are asked for outright: a forgotten job never becomes all."""
    if jobs and (everything or narrowed):
        raise Usage(
            "name jobs, or choose by --all, --state, --where, --older-than, --limit; not both"
        )
    if not jobs and not everything:
        many = "--all with what narrows it" if narrowed else "--all"
        raise Usage(f"name jobs, or {many}, or --plan FILE")


def _selection(
    jobs: list[str] | None,
    state: str | None,
    where: list[str] | None,
    older_than: str | None,
    limit: int | None,
) -> Selection:
    from aps.planning import Selection

    return Selection(
        jobs=tuple(jobs or ()),
        state=state,
        where=options.pairs("--where", where),
        older_than=(None if older_than is None else options.duration("--older-than", older_than)),
        limit=limit,
    )
