"""A plan, what it did, and how the journal tells it; for tests of the renderers."""

from __future__ import annotations

from dataclasses import replace

from aps.model.operation import Operation, Outcome, Result
from aps.model.plan import Plan, PlannedJob, RefusedJob
from aps.model.report import Evidence
from tests.unit.render_samples import ADOPTION, IDENTITY, PACK, UNCONFIRMED

OPERATION = "0b7e41d2-5a0c-4c1e-9d1f-6f2f0a8f4a11"

PLAN = Plan(
    format_version="1.0",
    operation=OPERATION,
    command="reclaim",
    system="exports",
    pack=PACK,
    identity=IDENTITY,
    database="exports",
    role="aps_operate",
    host="db1",
    state="adoption",
    effect="ready under the next epoch; the attempt is closed as abandoned",
    irreversible="the old epoch is spent",
    criterion="another row changes, or the epoch rises by other than one",
    attest=None,
    parameters={"abandon_limit": "3"},
    selection="job 4, 5",
    created_at="2026-11-30T21:40:02+00:00",
    expires_at="2026-11-30T21:55:02+00:00",
    found=2,
    jobs=(PlannedJob("4", ("4",), (ADOPTION,)),),
    refused=(RefusedJob("5", "live_lease", "its lease runs for another 4 min"),),
    fingerprint="sha256:00",
)

MISSING: Evidence = {
    "job_id": "7",
    "since": "2026-11-30 21:06:30+00",
    "problem": "absent",
    "kind": "invoice",
    "epoch": "2",
    "published_name": "7/2-77aa.csv",
    "level": "listed",
}
_RIGHT = {name: value for name, value in MISSING.items() if name != "problem"}
WITHDRAWAL = replace(
    PLAN,
    command="reconcile",
    state="missing_artifact",
    effect="withdrawn; consumers no longer see it, and nothing is requeued",
    irreversible=None,
    criterion="the published name, digest or epoch changed, or the file is right again",
    selection="state missing_artifact",
    jobs=(PlannedJob("7", ("7",), (MISSING,)),),
    refused=(),
    store="file:///exports",
    level="rehashed",
    looked=40,
    missing=2,
)
RECLAIM_AT_STORE = replace(
    PLAN,
    jobs=(replace(PLAN.jobs[0], overlays={"unconfirmed_result": (UNCONFIRMED,)}),),
    store="file:///exports",
    level="listed",
    looked=1,
    missing=0,
    meanings={"unconfirmed_result": "The current epoch's file stands, and nothing confirms it."},
    notes=("not every folder of the store can be read: 9/: permission denied",),
)
LOOKED = replace(
    WITHDRAWAL,
    state="confirmed_publication",
    effect="its file is read to the last byte; nothing is written",
    criterion="",
    jobs=(PlannedJob("7", ("7",), ({**_RIGHT, "level": "rehashed"},)),),
    writes=False,
    missing=0,
)


def result(job: str, outcome: Outcome, detail: str) -> Result:
    changed = outcome == "applied"
    before = {"state": "running", "epoch": "3", "worker": "w1"} if changed else None
    after = {"state": "ready", "epoch": "4", "worker": None} if changed else None
    return Result(job, outcome, detail, before, after)


DONE = Operation(
    format_version="1.0",
    operation=OPERATION,
    command="reclaim",
    state="adoption",
    transactions=("7431",),
    rows=(
        result("4", "applied", "ready under the next epoch"),
        result("5", "changed", "confirmed publication now, under epoch 2"),
        result("6", "locked", "pid 4711 (batch-fix) holds the row, idle in transaction for 31 min"),
    ),
    counts={"applied": 1, "changed": 1, "locked": 1},
    rolled_back=None,
    not_verified=(),
    interrupted=False,
    exit_code=22,
)
ROLLED_BACK = replace(
    DONE,
    rows=(result("4", "failed", "rolled back"),),
    counts={"failed": 1},
    rolled_back="the epoch rises by other than one",
    not_verified=("job 9: still leased",),
    interrupted=True,
)

BATCHES: tuple[Evidence, ...] = (
    {
        "operation": OPERATION,
        "batch": "1",
        "transaction_id": "7431",
        "at": "2026-11-30 21:41:10.2+00",
        "command": "reclaim",
        "state": "adoption",
        "role": "aps_operate",
        "client_user": "kim",
        "client_host": "ops1",
        "reason": "host w1 is gone",
        "ticket": None,
        "attested": "",
        "planned": "3",
        "applied": "1",
    },
)
ENTRIES: tuple[Evidence, ...] = (
    {
        "job": "4",
        "item": "",
        "phase": "applied",
        "outcome": "applied",
        "detail": "ready under the next epoch",
        "before": '{"state": "running", "epoch": 3, "worker": "w1"}',
        "after": '{"state": "ready", "epoch": 4, "worker": null}',
    },
)
