from __future__ import annotations

import pytest

from aps import matrix, packs
from aps.doctor import needs
from aps.doctor.needs import Need


def told(sql: str) -> set[str]:
    return {
        f"{need.privilege} {need.schema or ''}.{need.relation}"
        + (f"({need.column})" if need.column else "")
        for need in needs.of(f"-- Asks.\n{sql}\n")
    }


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT 1 FROM job", {"SELECT .job"}),
        ("SELECT 1 FROM q.job j, q.item AS i", {"SELECT q.job", "SELECT q.item"}),
        ("SELECT 1 FROM a JOIN ONLY b ON true LEFT JOIN q.c ON true", {"SELECT .b", "SELECT q.c"}),
        ('SELECT 1 FROM "Q"."a ""b"', {'SELECT Q.a "b'}),
        ("UPDATE job SET a = 1, b = f(2, 3) WHERE c = 4", {"UPDATE .job(a)", "UPDATE .job(b)"}),
        ("UPDATE q.job AS j SET (a, b) = (1, 2)", {"UPDATE q.job(a)", "UPDATE q.job(b)"}),
        ("WITH x AS (UPDATE j SET a = 1 RETURNING b) SELECT b FROM x", {"UPDATE .j(a)"}),
        ("INSERT INTO q.log (a, b) VALUES (1, 2)", {"INSERT q.log(a)", "INSERT q.log(b)"}),
        ("INSERT INTO log SELECT 1", {"INSERT .log"}),
        ("INSERT INTO l (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2", {"UPDATE .l(b)"}),
        ("DELETE FROM q.job j USING q.item i", {"DELETE q.job", "SELECT q.item"}),
        ("MERGE INTO job j USING t ON true WHEN MATCHED THEN UPDATE SET a = 1", {"SELECT .t"}),
    ],
)
def test_what_a_statement_needs_is_read_from_its_text(sql: str, wanted: set[str]) -> None:
    assert wanted <= told(sql)


@pytest.mark.parametrize(
    ("sql", "never"),
    [
        ("SELECT 1 FROM job FOR NO KEY UPDATE", "UPDATE"),
        ("UPDATE job SET a = b WHERE c = d", "(b)"),
        ("UPDATE job SET a = b WHERE c = d", "(c)"),
        ("UPDATE job SET a = (SELECT x = y FROM t), b = 1", "(x)"),
        ("INSERT INTO log (a) VALUES (1)", "SELECT .log"),
        ("SELECT 'FROM secret' -- FROM secret", "secret"),
    ],
)
def test_nothing_is_asked_for_that_is_not_needed(sql: str, never: str) -> None:
    assert not [need for need in told(sql) if never in need]


def test_a_query_cut_short_is_read_to_its_end() -> None:
    for sql in (
        "UPDATE",
        "UPDATE a",
        "UPDATE a SET",
        "INSERT INTO",
        "INSERT INTO a (",
        "SELECT 1 FROM a.",
    ):
        told(sql)


def test_the_actions_of_the_reference_queue_change_what_its_operator_may() -> None:
    loaded = matrix.load(packs.HOME)
    found = {
        need
        for state in loaded.states
        if state.action and state.action.query
        for need in needs.of(state.action.query.sql)
        if need.privilege == "UPDATE"
    }
    assert found >= {
        Need("aps", "attempt", "UPDATE", "ended_as"),
        Need("aps", "job", "UPDATE", "epoch"),
    }
    assert {need.column for need in found if need.relation == "job"} == {
        *("state", "worker", "epoch", "lease_until", "candidate"),
        *("reason", "withdrawn_at", "ready_at", "updated_at", "finished_at"),
    }
