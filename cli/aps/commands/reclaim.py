"""`aps reclaim`: plan, show, and only when told so, apply."""

from __future__ import annotations

from aps.commands import applying, choices, options, stores
from aps.commands.options import Reach
from aps.commands.request import Request


def reclaim(
    jobs: choices.Jobs = None,
    everything: choices.All = False,
    state: choices.State = None,
    where: options.Where = None,
    older_than: choices.OlderThan = None,
    limit: choices.Limit = None,
    yes: choices.Yes = False,
    reason: choices.Reason = None,
    ticket: choices.Ticket = None,
    attest: choices.Attest = None,
    plan_out: choices.PlanOut = None,
    plan: choices.SavedPlan = None,
    retries: choices.Retries = 0,
    batch: choices.Batch = 1000,
    store: stores.StoreOption = None,
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
    chosen = choices.selection(jobs, everything, state, where, older_than, limit, plan, plan_out)
    applying.run(
        Request(
            command="reclaim",
            reach=Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout),
            selection=chosen,
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
            store=store,
        )
    )
