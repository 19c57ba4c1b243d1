"""A fault of every kind that only a database shows, planted in a copy of the reference pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from aps import check, matrix
from aps.exits import Exit
from aps.model.checked import Severity
from tests.support import looking, planted
from tests.support.database import Database
from tests.support.planted import YAML, Planted

FAILED = "queries/failed.sql"
ACTION = "queries/adoption.reclaim.sql"
COLUMNS = "SELECT job_id, finished_at AS since, kind, epoch, reason"
WHERE = "WHERE state = 'failed'"
PUSHED = "keep the key a plain column"
LOCKING = b"CREATE VIEW aps.held AS SELECT * FROM aps.job FOR UPDATE; GRANT SELECT ON aps.held TO aps_operate"
TIMED = b"CREATE VIEW aps.old AS SELECT * FROM aps.job WHERE ready_at < now(); GRANT SELECT ON aps.old TO aps_operate"
OPAQUE = (
    b"CREATE FUNCTION is_bad(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$"
)


def evidence(
    name: str, columns: str, at: str, told: str, remedy: str, severity: Severity = "fault"
) -> Planted:
    """The evidence of `failed` with other columns."""
    return Planted(name, FAILED, COLUMNS, columns, at, told, remedy, severity)


def narrowed(
    name: str,
    condition: str,
    at: str,
    told: str,
    remedy: str,
    severity: Severity = "fault",
    before: bytes = b"",
) -> Planted:
    """The evidence of `failed` with a further condition on a line of its own."""
    new = f"{WHERE}\n   AND {condition}\n  "
    return Planted(name, FAILED, WHERE, new, at, told, remedy, severity, before=before)


FAULTS = [
    Planted(
        "a severity by age where nothing has an age",
        "queries/adoption.sql",
        "AS since",
        "AS opened",
        "severity: {warning: 1, critical: {age: 15 min}}",
        "states.adoption.severity.critical: asks for an age, and queries/adoption.sql returns no",
        "return since",
        where=YAML,
    ),
    evidence(
        "evidence without the key",
        "SELECT finished_at AS since, kind",
        "SELECT",
        "returns no column job_id, which is the key",
        "add job_id to what stands after SELECT",
    ),
    evidence(
        "evidence with another column for the key",
        "SELECT epoch AS job_id",
        "SELECT",
        "returns epoch of aps.job under the name of the key job_id",
        "return job_id itself",
    ),
    evidence(
        "evidence with a key of another type",
        "SELECT job_id::text AS job_id",
        "SELECT",
        "job_id is text here, bigint in aps.job",
        "return the column as the table has it",
    ),
    evidence(
        "an age that is no time",
        "SELECT job_id, epoch AS since",
        "SELECT",
        "since is bigint, not timestamptz",
        "return the time since when",
    ),
    evidence(
        "a time without its zone",
        "SELECT job_id, finished_at::timestamp AS since",
        "SELECT",
        "since is a timestamp without time zone",
        "AT TIME ZONE 'UTC'",
        "warning",
    ),
    evidence(
        "a refusal that is no sentence",
        "SELECT job_id, epoch > 3 AS refusal",
        "SELECT",
        "refusal is boolean, not text",
        "why not, in words",
    ),
    evidence(
        "a lock that is no boolean",
        "SELECT job_id, worker AS locked",
        "SELECT",
        "locked is text, not boolean",
        "whether the row is locked right now",
    ),
    evidence(
        "an item that is no text",
        "SELECT job_id, epoch AS item",
        "SELECT",
        "item is bigint, not text",
        "return text",
    ),
    evidence(
        "two columns of one name",
        "SELECT job_id, worker AS kind, kind",
        "SELECT",
        "returns 2 columns called kind",
        "expression AS name",
    ),
    evidence(
        "a column without a name",
        "SELECT job_id, epoch + 1",
        "SELECT",
        "returns a column without a name",
        "expression AS name",
    ),
    narrowed(
        "a statement that nobody can parse",
        "AND epoch > 1",
        "AND epoch > 1",
        'syntax error at or near "AND"',
        "mend the statement there",
    ),
    narrowed(
        "a column that is not there",
        "epok > 1",
        "epok",
        'column "epok" does not exist',
        "name a column that is there",
    ),
    narrowed(
        "a table that is not there",
        "EXISTS (SELECT FROM aps.jobs)",
        "aps.jobs",
        'relation "aps.jobs" does not exist',
        "name a table that is there",
    ),
    narrowed(
        "a function that is not there",
        "is_lost(worker)",
        "is_lost",
        "function is_lost(text) does not exist",
        "call a function that is there",
    ),
    narrowed(
        "a parameter of the wrong type",
        "epoch > %(orphan_grace)s",
        "%(orphan_grace)s",
        "operator does not exist: bigint > interval",
        "cast one side",
    ),
    narrowed(
        "a parameter without a type",
        "%(max_lease)s IS NULL OR %(observed_names)s IS NULL",
        "%(observed_names)s",
        "could not determine data type of parameter %(observed_names)s",
        "cast it",
    ),
    narrowed(
        "a value that no moment makes right",
        "epoch > 'three'::bigint",
        "'three'",
        "invalid input syntax for type bigint",
        "mend the statement",
    ),
    narrowed(
        "a row lock in a view",
        "job_id IN (SELECT job_id FROM aps.held)",
        "SELECT job_id, finished",
        "takes row locks",
        "remove the FOR clause",
        before=LOCKING,
    ),
    narrowed(
        "the clock of the transaction",
        "finished_at < now()",
        "now()",
        "asks for the time itself (now())",
        "%(clock)s",
    ),
    narrowed(
        "the clock of the moment",
        "finished_at < clock_timestamp()",
        "clock_timestamp()",
        "asks for the time itself (clock_timestamp())",
        "%(clock)s",
    ),
    narrowed(
        "a clock that looks like a word",
        "finished_at < current_timestamp",
        "current_timestamp",
        "asks for the time itself (CURRENT_TIMESTAMP)",
        "%(clock)s",
    ),
    narrowed(
        "a clock that stands still",
        "finished_at < 'now'::timestamptz",
        "'now'",
        "asks for the time itself ('now')",
        "%(clock)s",
    ),
    narrowed(
        "a clock in a view",
        "job_id IN (SELECT job_id FROM aps.old)",
        "SELECT job_id, finished",
        "now(), in a view or function that it uses",
        "%(clock)s",
        before=TIMED,
    ),
    narrowed(
        "chance",
        "random() > 0.5",
        "random()",
        "depends on chance (random())",
        "return what stands in the rows",
    ),
    narrowed(
        "a lock that nobody sees",
        "pg_try_advisory_lock(job_id)",
        "pg_try_advisory_lock",
        "calls pg_try_advisory_lock(), which is VOLATILE",
        "remove it",
    ),
    narrowed(
        "a function that may do anything",
        "is_bad(worker)",
        "is_bad",
        "calls is_bad(), which is VOLATILE",
        "ALTER FUNCTION is_bad() STABLE",
        before=OPAQUE,
    ),
    Planted(
        "a limit before eligibility",
        FAILED,
        "%(finished_since)s",
        "%(finished_since)s\n LIMIT 100",
        "LIMIT",
        "the key is compared only after all rows were read",
        PUSHED,
    ),
    Planted(
        "rows kept before the key is known",
        FAILED,
        f"{COLUMNS}\n  FROM aps.job",
        f"WITH kept AS MATERIALIZED (SELECT * FROM aps.job)\n{COLUMNS} FROM kept",
        "kept AS MAT",
        "the key stops at WITH kept",
        PUSHED,
    ),
    evidence(
        "a window across the keys",
        "SELECT job_id,\n       row_number() OVER (ORDER BY finished_at) AS nth",
        "OVER",
        "the key is compared only after all rows were read",
        PUSHED,
    ),
    evidence(
        "a key that is an expression",
        "SELECT job_id + 0 AS job_id",
        "SELECT",
        "no table is asked for the key as a plain column",
        PUSHED,
    ),
    Planted(
        "a population without the key",
        "queries/population.sql",
        "SELECT job_id",
        "SELECT state",
        "SELECT state",
        "returns no column job_id, which is the key",
        "add job_id",
    ),
    Planted(
        "names without a name",
        "queries/names.sql",
        "input_name AS name",
        "input_name",
        "SELECT job_id, input_name",
        "returns no column name, which aps reads",
        "add name",
    ),
    Planted(
        "an action that returns other keys",
        ACTION,
        "SELECT job_id FROM freed",
        "SELECT epoch AS job_id FROM freed",
        "SELECT epoch AS",
        "returns epoch of aps.job under the name of the key job_id",
        "return job_id itself",
    ),
    Planted(
        "an action that returns no key",
        ACTION,
        "SELECT job_id FROM freed",
        "SELECT count(*) AS jobs FROM freed",
        "count(*)",
        "returns no column job_id, which is the key",
        "add job_id",
    ),
    Planted(
        "an action that returns more than the key",
        ACTION,
        "SELECT job_id FROM freed",
        "SELECT job_id, 1 AS done FROM freed",
        "1 AS done",
        "returns done, which is not of the key",
        "RETURNING job_id",
    ),
    Planted(
        "an action that changes nothing",
        ACTION,
        "",
        "-- Nothing.\nSELECT job_id FROM aps.job WHERE job_id = ANY (%(job_id)s::bigint[])\n",
        "SELECT job_id",
        "changes nothing",
        "write the statement that does it",
    ),
    Planted(
        "a violation without a reason",
        "queries/adoption.verify.sql",
        "below it' AS reason",
        "below it' AS why",
        "SELECT j.job_id",
        "returns no column reason, which aps reads",
        "add reason",
    ),
    Planted(
        "a violation without its job",
        "queries/adoption.abort.sql",
        "SELECT j.job_id, CASE",
        "SELECT CASE",
        "SELECT CASE",
        "returns no column job_id",
        "add job_id",
    ),
    Planted(
        "a moving column that is not there",
        YAML,
        "    means: The job failed for good;",
        "    reading: [heartbeat]\n    means: The job failed for good;",
        "reading: [heart",
        "queries/failed.sql returns no column heartbeat",
        "name columns of the evidence",
    ),
    Planted(
        "a table that the database has not",
        YAML,
        "table: aps.job",
        "table: aps.jobs",
        "table: ",
        "has no table aps.jobs",
        "--dsn, --schema",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=planted.ids(FAULTS))
def test_a_planted_fault_is_caught_with_its_place_and_remedy(
    database: Database, tmp_path: Path, fault: Planted
) -> None:
    made = planted.pack(tmp_path, fault)
    if fault.before:
        database.execute(fault.before)
    assert check.files(made) is None
    with looking.connect(database) as session:
        checked = check.database(matrix.load(made), session)
    planted.caught(checked, made, fault)
    assert checked.exit_code == (Exit.MATRIX if fault.severity == "fault" else Exit.WARNING)
    assert len(checked.findings) == 1, checked.findings
