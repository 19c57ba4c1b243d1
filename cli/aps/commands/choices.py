"""The options of the commands that act: which jobs, and by what authority."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import options
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.planning import Selection

Jobs = Annotated[list[str] | None, typer.Argument(metavar="JOB", help="Jobs by key.")]
All = Annotated[
    bool,
    typer.Option("--all", help="All jobs that the state holds, oldest first, up to the limit."),
]
State = Annotated[
    str | None, typer.Option("--state", metavar="STATE", help="The state to act upon.")
]
OlderThan = Annotated[
    str | None,
    typer.Option(
        "--older-than", metavar="TIME", help="Only jobs in the state for longer, such as 2h."
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        parser=options.whole("--limit", 1, 100_000),
        help="Most jobs; 100 unless told.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Apply. Without it nothing is changed.")]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why; goes into the journal.")
]
Ticket = Annotated[
    str | None, typer.Option("--ticket", metavar="TEXT", help="Where it is tracked.")
]
Attest = Annotated[
    list[str] | None,
    typer.Option("--attest", metavar="WORD", help="What you vouch for, where the matrix asks."),
]
PlanOut = Annotated[
    Path | None, typer.Option("--plan-out", metavar="FILE", help="Save the plan to a new file.")
]
SavedPlan = Annotated[
    Path | None, typer.Option("--plan", metavar="FILE", help="Apply a saved plan.")
]
Retries = Annotated[
    int,
    typer.Option(
        "--retries",
        metavar="N",
        parser=options.whole("--retries", 0, 100),
        help="Tries of locked jobs.",
    ),
]
Batch = Annotated[
    int,
    typer.Option(
        "--batch",
        metavar="N",
        parser=options.whole("--batch", 1, 10_000),
        help="Jobs a transaction.",
    ),
]


def selection(
    jobs: list[str] | None,
    everything: bool,
    state: str | None,
    where: list[str] | None,
    older_than: str | None,
    limit: int | None,
    plan: Path | None,
    plan_out: Path | None,
) -> Selection:
    """What is chosen. Raises Usage unless jobs are named, or many are asked for outright, or a plan is given.

    A forgotten job never becomes all. For named jobs the state only says which of theirs is meant.
    """
    narrowed = older_than is not None or limit is not None or bool(where)
    if plan and (jobs or everything or narrowed or state is not None or plan_out):
        raise Usage("--plan has its jobs; name nothing else")
    if jobs and (everything or narrowed):
        raise Usage("name jobs, or choose by --all, --where, --older-than, --limit; not both")
    if not (jobs or everything or plan):
        many = "--all with what narrows it" if narrowed or state is not None else "--all"
        raise Usage(f"name jobs, or {many}, or --plan FILE")
    from aps.planning import Selection

    return Selection(
        jobs=tuple(jobs or ()),
        state=state,
        where=options.pairs("--where", where),
        older_than=(None if older_than is None else options.duration("--older-than", older_than)),
        limit=limit,
    )
