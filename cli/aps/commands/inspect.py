"""`aps inspect`: look, change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import console, options, stores
from aps.commands.options import Format, Reach, Target
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.files import Sight
    from aps.model.report import Report
    from aps.triage import Look


def inspect(
    jobs: Annotated[list[str] | None, typer.Argument(metavar="JOB", help="Jobs by key.")] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="List the jobs of one state.")
    ] = None,
    where: options.Where = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            parser=options.whole("--limit", 1, 100_000),
            help="Most jobs to list.",
        ),
    ] = 10,
    since: Annotated[
        str,
        typer.Option(
            "--since", metavar="TIME", help="How far back finished states are counted, such as 7d."
        ),
    ] = "24h",
    store: stores.StoreOption = None,
    observations: stores.Observations = None,
    level: stores.LevelOption = "listed",
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
    """Look at the queue, or at named jobs: what is wrong, how bad, how old, what may be done, by whom."""
    if where and state is None:
        raise Usage("--where needs --state: it is exact on the evidence of one state")
    if state is not None and jobs:
        raise Usage("name jobs or --state, not both")
    from aps import triage

    reach = Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout)
    target = options.target("inspect", reach)
    acting = stores.words(store, None, "listed", demo=demo)
    words = stores.words(store, observations, level, demo=demo)
    look = triage.Look(
        jobs=tuple(jobs or ()),
        state=state,
        where=options.pairs("--where", where),
        limit=limit,
        window=options.duration("--since", since),
        suffix=stores.joined(target.suffix, *acting),
        at_store=stores.joined(target.suffix, *stores.needed(store, demo=demo)),
        again=stores.joined(target.suffix, *words),
    )
    given = stores.given(store, demo=demo)
    with stores.progress(quiet=quiet or show_sql) as tell:
        sight = stores.sight(given, observations, level, tell)
        report = seen(target, look, sight)
    console.leave(show(report, look, format, quiet=quiet, place=target.place, store=acting))


def seen(target: Target, look: Look, sight: Sight | None) -> Report:
    """One look. Raises ApsError."""
    from aps import triage
    from aps.database import ConnectionLost, QueryError

    try:
        with target.session() as database:
            return triage.inspect(target.matrix, database, look, sight)
    except (ConnectionLost, QueryError) as error:
        # Nothing else of a look can fail to be serialized: the replay was in the way, outside of a savepoint.
        if isinstance(error, QueryError) and error.sqlstate != "40001":
            raise
        # A recovery conflict on a standby ends the session; savepoints do not help, a new snapshot does.
        with target.session() as database:
            return triage.inspect(target.matrix, database, look, sight)


def show(
    report: Report,
    look: Look,
    format: Format,
    *,
    quiet: bool,
    place: str,
    store: Sequence[str] = (),
) -> int:
    """Print one report; returns the exit code."""
    from aps import render

    view = console.view(quiet=quiet, listing=look.state, suffix=look.again, place=place)
    console.out(render.report(report, format, replace(view, store=" ".join(store))))
    return report.exit_code
