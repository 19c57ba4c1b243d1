"""A small pack without faults, as files; each test breaks one thing of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

MATRIX = """\
matrix: 1
system: exports
table: job
key: job_id
fencing: worker-only
max_lease: 15 min
owner: {team: export-oncall, contact: "#export"}
parameters:
  grace: {type: interval, default: 90 s, unit: s, means: how long a claim may take}
  limit_of_kills: {type: integer, default: 3, means: so many make a job poison}
states:
  ready:
    means: nobody has it
    action: none
  adoption:
    means: the lease ran out
    not: that the worker stopped
    severity: {warning: 2, critical: {count: 5, age: 15 min}}
    action: {run: reclaim, attest: workers-stopped, effect: ready again}
    rollback: {criterion: another row changes}
    context: history
    reading: [heartbeat]
  confirmed_publication: {means: a result stands, action: none, artifacts: optional}
absent:
  unconfirmed_materialization: inputs are rows
  live_lease: see adoption
  orphan_candidate: files are shared
  missing_artifact: files are shared
"""

FILES: Mapping[str, str] = {
    "matrix.yaml": MATRIX,
    "queries/population.sql": "-- The unfinished.\nSELECT job_id FROM job WHERE state <> 'done'\n",
    "queries/names.sql": "-- Files.\nSELECT job_id, name, epoch FROM job\n",
    "queries/ready.sql": "-- Ready; no %%.\nSELECT job_id FROM job WHERE state = 'ready'\n",
    "queries/adoption.sql": """\
-- Returns: job_id, since.
SELECT job_id, lease_until AS since
  FROM job
 WHERE lease_until <= %(clock)s - %(grace)s
   AND kills < %(limit_of_kills)s
""",
    "queries/adoption.reclaim.sql": """\
-- Returns: job_id.
UPDATE job SET state = 'ready'
 WHERE job_id = ANY(%(job_id)s::bigint[]) RETURNING job_id;
""",
    "queries/adoption.undo.sql": """\
-- Returns: job_id.
UPDATE job SET state = 'running' WHERE job_id = ANY(%(job_id)s::bigint[]) RETURNING job_id
""",
    "queries/history.context.sql": """\
-- Returns: the attempts.
SELECT * FROM attempt WHERE job_id = ANY(%(job_id)s::bigint[])
""",
    "queries/confirmed_publication.sql": """\
-- Returns: job_id, since.
SELECT job_id, finished_at AS since FROM job WHERE finished_at >= %(finished_since)s
""",
    "queries/schema.sql": "CREATE TABLE job (job_id bigint PRIMARY KEY); -- 100%\n",
    "queries/worker/claim.sql": "SELECT 1; SELECT 2\n",
}

Edit = tuple[str, str, str]


def write(folder: Path, *edits: Edit) -> Path:
    """The pack in that folder; an edit is (file, old, new), an old of "" makes or replaces."""
    files = dict(FILES)
    for file, old, new in edits:
        if old:
            assert files[file].count(old) == 1, f"{old!r} must stand once in {file}"
        files[file] = files[file].replace(old, new) if old else new
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
