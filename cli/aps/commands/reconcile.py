"""`aps reconcile`: what lies in the store against what the rows say; plan, show, and only when told so, apply."""

from __future__ import annotations

from aps.commands import applying, choices, completion, options, stores
from aps.commands.options import Reach
from aps.commands.request import Request
from aps.errors import Usage

# What chooses or acts, and has no place where a completion is asked about.
_OTHERS = (
    "--all",
    "--state",
    "--where",
    "--older-than",
    "--limit",
    "--yes",
    "--reason",
    "--ticket",
    "--attest",
    "--plan-out",
    "--plan",
    "--observations",
)


def reconcile(
    jobs: choices.Jobs = None,
    everything: choices.All = False,
    state: choices.State = None,
    where: options.Where = None,
    older_than: choices.OlderThan = None,
    limit: choices.Limit = None,
    epoch: completion.Epoch = None,
    worker: completion.Worker = None,
    candidate: completion.Candidate = None,
    digest: completion.Digest = None,
    yes: choices.Yes = False,
    reason: choices.Reason = None,
    ticket: choices.Ticket = None,
    attest: choices.Attest = None,
    plan_out: choices.PlanOut = None,
    plan: choices.SavedPlan = None,
    retries: choices.Retries = 0,
    batch: choices.Batch = 100,
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
    """Act on what lies in the store against what the rows say: every file is read first. Previews unless --yes.

    With --epoch it answers what became of one completion, and writes nothing.
    """
    reach = Reach(dsn, pack, schema, tuple(parameters or ()), demo, show_sql, timeout)
    asked = completion.asked(epoch, worker, candidate, digest)
    if asked:
        given = (everything, state, where, older_than, limit, yes, reason, ticket, attest)
        others = dict(zip(_OTHERS, (*given, plan_out, plan, observations), strict=True))
        completion.answer(jobs or [], asked, others, reach, store, format, quiet=quiet)
    chosen = choices.selection(jobs, everything, state, where, older_than, limit, plan, plan_out)
    _at_a_store(store, observations, demo=demo)
    applying.run(
        Request(
            command="reconcile",
            reach=reach,
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
            level=level,
        )
    )


def _at_a_store(store: str | None, observations: str | None, *, demo: bool) -> None:
    """Raises Usage where there is nothing to act upon."""
    if observations is not None:
        raise Usage("--observations is for looking only: reconcile acts on the store, --store URL")
    if store is None and not demo:
        raise Usage(
            "reconcile reads files before it does anything: say where they lie, --store URL"
        )
