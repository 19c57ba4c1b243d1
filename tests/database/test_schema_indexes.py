"""Triage costs what is unfinished, not what is finished: which indexes the planner takes, never how long it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from aps import evidence, statements
from aps.model.matrix import Matrix
from tests.support.database import Connection, Database
from tests.support.looking import reference, snapshot
from tests.support.queue import text

_FILL = b"""
WITH job AS (
  INSERT INTO aps.job (request_key, kind, state, ready_at, finished_at, epoch, published_name, published_digest,
                       published_epoch, published_at)
  SELECT 'done ' || n, 'export', 'complete', t, t, 1, n || '/1-x', 'sha256:' || repeat('ab', 32), 1, t
    FROM generate_series(1, 20000) AS n, (SELECT clock_timestamp() - interval '9 d' AS t) AS clock
  RETURNING job_id
), unfinished AS (
  INSERT INTO aps.job (request_key, kind, state, ready_at, epoch, worker, lease_until, candidate, input_name,
                       input_digest)
  SELECT 'todo ' || n, 'export', state, CASE WHEN state <> 'materializing' THEN clock_timestamp() END,
         running::integer, CASE WHEN running THEN 'w' || n END,
         CASE WHEN running THEN clock_timestamp() + (n - 150) * interval '10 s' END,
         CASE WHEN running THEN 20000 + n || '/1-x' END,
         CASE WHEN state = 'materializing' THEN 'in/' || n END,
         CASE WHEN state = 'materializing' THEN 'sha256:' || repeat('ab', 32) END
    FROM generate_series(1, 200) AS n,
         LATERAL (SELECT CASE WHEN n <= 20 THEN 'materializing'
                              WHEN n <= 100 THEN 'ready' ELSE 'running' END AS state) AS s,
         LATERAL (SELECT state = 'running' AS running) AS r
  RETURNING job_id, worker
), attempt AS (
  INSERT INTO aps.attempt (job_id, epoch, worker, candidate, ended_at, ended_as)
  SELECT job_id, 1, 'w', job_id || '/1-x', clock_timestamp(), 'published' FROM job
   UNION ALL
  SELECT job_id, 1, worker, job_id || '/1-x', NULL, NULL FROM unfinished WHERE worker IS NOT NULL
)
INSERT INTO aps.event (job_id, kind, epoch, worker) SELECT job_id, 'published', 1, 'w' FROM job"""


@pytest.fixture
def full(database: Database) -> Database:
    """20,000 finished jobs and 200 that are not."""
    connection = database.connect("postgres")
    connection.execute(b"SET session_replication_role = replica")
    connection.execute(_FILL)
    connection.execute(b"VACUUM ANALYZE")
    return database


def bound(database: Database) -> Mapping[str, Any]:
    with snapshot(database) as seen:
        return {**seen.bound, "finished_since": seen.clock - timedelta(hours=24)}


def scans(connection: Connection, sql: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How each table of the queue is read: table, and the index or the kind of scan."""
    rows = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}".encode(), values).fetchall()
    plan = rows[0][0] if not isinstance(rows[0][0], str) else json.loads(rows[0][0])
    return [
        (node.get("Relation Name", ""), node.get("Index Name") or node["Node Type"])
        for node in nodes(plan[0]["Plan"])
        if "Scan" in node["Node Type"]
    ]


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def asked(matrix: Matrix) -> dict[str, str]:
    """What a look at the whole queue asks where nobody looks at files."""
    states = {
        state.name: state.evidence.sql
        for state in matrix.states
        if state.artifacts not in ("claimed", "listed")
    }
    return states | {"population": matrix.population.sql}


def test_what_triage_asks_never_reads_a_whole_table(full: Database) -> None:
    values, connection = bound(full), full.connect("aps_read")
    for name, sql in asked(reference()).items():
        found = scans(connection, sql, values)
        assert [table for table, how in found if how == "Seq Scan"] == [], name


def test_triage_reads_jobs_by_indexes_that_do_not_grow_with_what_is_finished(
    full: Database,
) -> None:
    rows = full.execute(
        b"SELECT indexrelid::regclass::text FROM pg_index"
        b" WHERE indrelid = 'aps.job'::regclass AND indpred IS NOT NULL"
    )
    partial = {row[0].removeprefix("aps.") for row in rows}
    values, connection = bound(full), full.connect("aps_read")
    for name, sql in asked(reference()).items():
        used = {how for _, how in scans(connection, sql, values) if how.startswith("job_")}
        assert used <= partial, name
        assert used or name == "rejected_result", name


def test_the_population_is_read_by_the_index_on_the_unfinished(full: Database) -> None:
    found = scans(full.connect("aps_read"), reference().population.sql, bound(full))
    assert [index for _, index in found] == ["job_unfinished"]


def test_a_claim_and_an_adoption_look_at_the_first_of_their_index(full: Database) -> None:
    connection = full.connect("aps_work")
    values = {"worker": "w1", "lease": "1 min", "abandon_limit": 3}
    for name, index in (("claim", "job_ready"), ("adopt", "job_running")):
        found = scans(connection, text(name), values)
        assert ("job", index) in found
        assert ("job", "Seq Scan") not in found


def test_a_look_at_named_jobs_reads_these_jobs_only(full: Database) -> None:
    with snapshot(full) as seen:
        queries = {
            state.name: state.evidence
            for state in seen.states
            if {"job_id"} <= set(seen.columns[state.name])
        }
        sql = statements.judge(queries, seen.types)
        values = seen.bound | {"job_id": ["1", "20150"]}
        assert len(evidence.judge(seen, [("1",), ("20150",)])) == 2
    found = scans(full.connect("aps_read"), sql, values)
    assert [scan for scan in found if scan[1] == "Seq Scan" and scan[0]] == []
