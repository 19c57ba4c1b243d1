"""Reports to render: a queue on a bad evening, an empty one, one half unread, and one job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aps.model.report import (
    Detail,
    Evidence,
    Finding,
    Guidance,
    Holder,
    Identity,
    Job,
    Level,
    PackRef,
    Report,
    Server,
    StoreRef,
    Verdict,
)

IDENTITY = Identity("7432100000000000001", "1", "16384")
PACK = PackRef("aps", "3f2a91c4" + "0" * 56)
SERVER = Server("exports", "aps_read", False, "db1", "18.6", False, 0.2, IDENTITY)


def finding(
    state: str,
    jobs: int | None,
    oldest: float | None = None,
    *,
    severity: Level | None = None,
    worst: str | None = None,
    do: str | None = None,
    items: int | None = None,
    verdict: Verdict | None = None,
    **more: Any,
) -> Finding:
    plain = Finding(
        state=state,
        title=state.replace("_", " "),
        kind="lifecycle",
        verdict=verdict or ("found" if jobs or items else "clear"),
        jobs=jobs,
        items=jobs if items is None else items,
        oldest_seconds=oldest,
        locked=None,
        windowed=False,
        severity=severity,
        error=None,
        action=do.removeprefix("aps ").partition(" ")[0] if do else None,
        do=do,
        worst=worst,
        owner="export-oncall",
    )
    return replace(plain, **more)


NEEDY = (
    finding(
        "missing_artifact",
        1,
        2012.4,
        severity="critical",
        worst="7",
        do="aps reconcile 7",
        owner="storage-oncall",
        windowed=True,
    ),
    finding(
        "poisoned",
        1,
        770,
        severity="critical",
        worst="9",
        do="aps reclaim 9",
        owner="export-dev",
    ),
    finding("adoption", 2, 1024, severity="critical", worst="4", do="aps reclaim 4"),
    finding(
        "orphan_candidate",
        3,
        7300,
        severity="warning",
        worst="5",
        do="aps reconcile 5",
        items=4,
        kind="overlay",
    ),
)
CALM = (
    finding("ready", 14, 4.9, locked=1),
    finding("live_lease", 3),
    finding("confirmed_publication", 812, 80000, windowed=True),
    *(finding(name, 0) for name in ("inconsistent_row", "unconfirmed_materialization")),
    *(finding(name, 0, windowed=True) for name in ("withdrawn", "cancelled", "failed")),
    finding("conflict", 0),
    finding("unclassified", 0),
)


def report(*states: Finding, jobs: tuple[Job, ...] = (), **more: Any) -> Report:
    plain = Report(
        format_version="1.0",
        system="exports",
        pack=PACK,
        as_of="2026-11-30T21:40:02.123456+00:00",
        database=SERVER,
        store=StoreRef(),
        window_seconds=86400.0,
        states=states,
        jobs=jobs,
        jobs_total=len(jobs),
        exit_code=11,
    )
    return replace(plain, **more)


EVENING = report(*NEEDY, *CALM)
QUIET = report(*CALM[2:])
UNREAD = report(
    *NEEDY[2:3],
    *CALM,
    finding(
        "missing_artifact",
        None,
        verdict="undetermined",
        error="store file:/exports is bound to another database: staging?",
    ),
    finding(
        "no_progress",
        None,
        verdict="undetermined",
        error="permission denied for table attempt: GRANT SELECT ON aps.attempt TO aps_read",
    ),
    finding("stray_file", None, verdict="not_looked"),
    database=replace(SERVER, clock_difference_seconds=-3.4, in_recovery=True, superuser=True),
)

ADOPTION: Evidence = {
    "job_id": "4",
    "since": "2026-11-30T21:22:58.5+00:00",
    "refusal": None,
    "kind": "invoice",
    "worker": "w1",
    "epoch": "3",
    "lease_until": "2026-11-30T21:22:58.5+00:00",
    "candidate": "4/3-9f2c.csv",
    "abandoned": "1",
}
UNCONFIRMED: Evidence = {"job_id": "4", "item": "4/3-9f2c.csv", "observed_size": "13002342"}

GUIDANCE = Guidance(
    state="adoption",
    title="adoption",
    means="The lease ran out on the database clock; the job may pass to another worker.",
    not_="That its worker stopped. It may still run, query and write files; only its epoch is refused.",
    evidence_file="queries/adoption.sql",
    effect="ready under the next epoch; the attempt is closed as abandoned",
    criterion="another row changes, or the epoch rises by other than one (rolled back by itself)",
    irreversible="the old epoch is spent",
    forbidden="requeue by hand; delete the candidate; call the export failed",
    next="Reclaim it, or let a worker adopt it.",
    tell="The export is late and will be made again; no file is valid yet.",
    outside_effects="those of the old attempt stay",
    done_when="a later epoch publishes, and consumers read that result",
    retention="the candidate of the spent epoch stays in the store as an orphan candidate",
    team="export-oncall",
    contact="#export-oncall",
    escalate="data platform lead",
)
OVERLAY = replace(
    GUIDANCE,
    state="unconfirmed_result",
    title="unconfirmed result",
    means="The current epoch's file stands in the store, and nothing confirms it.",
    evidence_file="queries/unconfirmed_result.sql",
    next="Keep the file. A reclaim makes the export again under a new name.",
)
DETAIL = Detail(
    guidance=(GUIDANCE, OVERLAY),
    holders=(Holder(4711, "batch-fix", "app", "idle in transaction", 1890.0),),
    context={
        "attempts": (
            {
                "epoch": "3",
                "worker": "w1",
                "claimed_at": "2026-11-30 21:12:04.1+00",
                "ended_at": None,
            },
            {
                "epoch": "2",
                "worker": "w1",
                "claimed_at": "2026-11-29 20:40:00+00",
                "ended_at": "2026-11-30 20:52:00+00",
            },
        ),
        "events": (),
    },
    operations=None,
    errors=("journal: permission denied for schema aps_journal",),
)
JOB = Job(
    job="4",
    state="adoption",
    overlays=("unconfirmed_result",),
    severity="critical",
    since="2026-11-30T21:22:58.5+00:00",
    age_seconds=1023.6,
    evidence={"adoption": (ADOPTION,), "unconfirmed_result": (UNCONFIRMED,)},
    permitted=True,
    refusal=None,
    command="aps reclaim 4",
    detail=DETAIL,
    commands={"adoption": "aps reclaim 4"},
)
DOUBTFUL = Job(
    job="12",
    state="unclassified",
    overlays=(),
    severity=None,
    since=None,
    age_seconds=None,
    evidence={},
    permitted=False,
    refusal="no state of the matrix claims this job: aps never acts on it",
    command=None,
    detail=Detail((), None, {}, (), ()),
)
PAGES = report(*NEEDY, *CALM, jobs=(JOB, DOUBTFUL))


def listed(job: str, worker: str, **more: str | None) -> Job:
    row = {**ADOPTION, "job_id": job, "worker": worker, **more}
    return replace(JOB, job=job, overlays=(), evidence={"adoption": (row,)}, detail=None)


LISTED = report(
    *NEEDY, *CALM, jobs=(listed("4", "w1"), listed("8", "host-7/worker-12")), jobs_total=31
)
