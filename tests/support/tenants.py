"""A queue in which one job of a lock key runs at a time, and its pack: ready jobs say which job they wait for."""

from __future__ import annotations

from pathlib import Path

from tests.support import packs

_FILES = {
    "matrix.yaml": """\
matrix: 1
system: tenants
table: tenant_job
key: id
fencing: enforced
owner: {team: tenants}
states:
  ready: {means: any worker may claim it once its key is free, action: none}
  live_lease: {means: a worker holds it, liveness: lease, action: none}
  adoption:
    means: its lease ran out
    liveness: lease
    severity: {warning: 1}
    action: {run: reclaim, effect: ready under the next epoch}
    rollback: {criterion: none, irreversible: the old epoch is spent}
absent:
  unconfirmed_materialization: no input
  orphan_candidate: no files
  confirmed_publication: what is done is of no interest here
  missing_artifact: no files
""",
    "queries/population.sql": "-- Not done. Returns id.\nSELECT id FROM tenant_job WHERE state <> 'done'\n",
    "queries/ready.sql": """\
-- Ready jobs, with the running job of the same key. Returns id, since, locked, blocked_by, lock_key.
SELECT r.id, r.ready_at AS since,
       EXISTS (SELECT FROM pg_locks l
                WHERE l.locktype = 'transactionid' AND l.granted AND l.transactionid = r.xmax) AS locked,
       b.id::text AS blocked_by, r.lock_key
  FROM tenant_job r LEFT JOIN tenant_job b ON b.lock_key = r.lock_key AND b.state = 'running'
 WHERE r.state = 'ready'
""",
    "queries/live_lease.sql": """\
-- Under a lease. Returns id, since, worker, epoch.
SELECT id, ready_at AS since, worker, epoch FROM tenant_job WHERE state = 'running' AND lease_until > %(clock)s
""",
    "queries/adoption.sql": """\
-- The lease ran out. Returns id, since, worker, epoch, lock_key.
SELECT id, lease_until AS since, worker, epoch, lock_key
  FROM tenant_job WHERE state = 'running' AND lease_until <= %(clock)s
""",
    "queries/adoption.reclaim.sql": """\
-- Ready again, the key is free. Returns id.
UPDATE tenant_job SET state = 'ready', epoch = epoch + 1, worker = NULL, lease_until = NULL
 WHERE id = ANY (%(id)s::bigint[]) RETURNING id
""",
}


def pack(folder: Path) -> str:
    packs.made(folder, _FILES)
    return str(folder)
