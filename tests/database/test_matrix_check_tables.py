"""What the check says of tables: their keys, their indexes, and those too large to be read from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aps.check.plans import LARGE
from aps.exits import Exit
from tests.support import cli, trouble
from tests.support.database import Database

TABLE = b"CREATE TABLE errand (name text %s, taken_at timestamptz, runner text)"
KEYED = TABLE % b"PRIMARY KEY"
MANY = LARGE + LARGE // 5
BY_RUNNER = "SELECT name, runner FROM errand WHERE taken_at IS NOT NULL AND runner <> ''"
# No condition on the key reaches the second table: it is asked about each errand by what no index begins with.
BY_NEIGHBOUR = """\
SELECT e.name FROM errand e WHERE e.taken_at IS NOT NULL
   AND EXISTS (SELECT FROM errand o WHERE o.runner <> e.runner AND o.taken_at > e.taken_at)"""


def check(database: Database, pack: str) -> tuple[int, list[dict[str, Any]]]:
    words = ("--pack", pack, "--dsn", database.dsn("postgres"), "--format", "json")
    said = cli.call("matrix", "check", *words)
    assert said.stderr == "", said
    return said.code, json.loads(said.stdout)["findings"]


def pack(folder: Path, evidence: str | None = None, matrix: tuple[str, str] | None = None) -> str:
    """The errands, with other evidence for `adoption`, or another word in the matrix."""
    made = Path(trouble.errands(folder))
    if evidence:
        (made / "queries" / "adoption.sql").write_text(f"-- Taken.\n{evidence}\n", "utf-8")
    if matrix:
        text = (made / "matrix.yaml").read_text("utf-8")
        assert text.count(matrix[0]) == 1
        (made / "matrix.yaml").write_text(text.replace(*matrix), "utf-8")
    return str(made)


def many(database: Database) -> None:
    database.execute(KEYED)
    database.execute(
        b"INSERT INTO errand SELECT n::text, CASE WHEN n %% 1000 = 0 THEN clock_timestamp() END, 'r' || n %% 50"
        b" FROM generate_series(1, %s) AS n",
        [MANY],
    )
    database.execute(b"ANALYZE errand")


def test_a_small_queue_with_a_primary_key_is_sound(database: Database, tmp_path: Path) -> None:
    database.execute(KEYED)
    assert check(database, pack(tmp_path)) == (Exit.CLEAR, [])


def test_a_key_that_no_index_begins_with_is_a_fault_with_the_index_that_mends_it(
    database: Database, tmp_path: Path
) -> None:
    database.execute(TABLE % b"")
    code, found = check(database, pack(tmp_path))
    assert code == Exit.MATRIX
    told = {(one["file"], one["line"], one["remedy"]) for one in found}
    remedy = "make one: CREATE UNIQUE INDEX ON errand (name)"
    assert ("matrix.yaml", 4, remedy) in told
    database.execute(b"CREATE UNIQUE INDEX ON errand (name)")
    assert check(database, str(tmp_path / "errands")) == (Exit.CLEAR, [])


def test_a_key_that_may_stand_twice_is_a_warning(database: Database, tmp_path: Path) -> None:
    database.execute(TABLE % b"" + b"; CREATE INDEX ON errand (name)")
    code, found = check(database, pack(tmp_path))
    assert code == Exit.WARNING
    (one,) = found
    assert one["sentence"].endswith("keeps (name) from standing in two rows")


def test_a_key_column_that_the_table_has_not_is_a_fault_at_the_key(
    database: Database, tmp_path: Path
) -> None:
    database.execute(KEYED.replace(b"name", b"title"))
    code, found = check(database, pack(tmp_path))
    assert code == Exit.MATRIX
    (one,) = found
    assert (one["file"], one["line"]) == ("matrix.yaml", 4)
    assert one["sentence"] == "key: table errand has no column name"
    assert one["remedy"] == "name the columns of its primary key"


def test_a_large_table_read_from_end_to_end_is_named_with_the_index_that_would_help(
    database: Database, tmp_path: Path
) -> None:
    many(database)
    code, found = check(database, pack(tmp_path, BY_RUNNER))
    assert code == Exit.WARNING
    one = next(one for one in found if one["file"] == "queries/adoption.sql")
    assert one["line"] == 2
    assert one["sentence"] == f"reads all of public.errand (about {MANY} rows)"
    assert one["remedy"] == "an index of public.errand on (taken_at, runner) would help"
    database.execute(b"CREATE INDEX ON errand (taken_at, runner)")
    _, found = check(database, str(tmp_path / "errands"))
    assert "queries/adoption.sql" not in {one["file"] for one in found}


def test_an_action_that_is_held_to_nothing_but_the_key_is_a_warning(
    database: Database, tmp_path: Path
) -> None:
    """The next claim of the job would look just like the one that was planned."""
    database.execute(KEYED)
    code, found = check(
        database, pack(tmp_path, "SELECT name FROM errand WHERE taken_at > '-infinity'")
    )
    assert (code, len(found)) == (Exit.WARNING, 1)
    assert (found[0]["file"], found[0]["line"]) == ("queries/adoption.sql", 2)
    assert found[0]["sentence"].endswith("so reclaim is held to nothing")
    assert "row_version" in found[0]["remedy"]


def test_a_job_that_one_state_returns_twice_is_told_with_its_key(
    database: Database, tmp_path: Path
) -> None:
    """Counted as two jobs it would be; whoever is woken looks for the second in vain."""
    database.execute(KEYED)
    database.execute(
        b"INSERT INTO errand VALUES ('a', now(), 'r1'), ('b', now(), 'r1'), ('c', NULL, NULL)"
    )
    twice = (
        "SELECT e.name, e.taken_at AS since FROM errand e CROSS JOIN generate_series(1, 2)"
        " WHERE e.taken_at IS NOT NULL"
    )
    code, found = check(database, pack(tmp_path, twice))
    assert code == Exit.MATRIX
    told = [one for one in found if "more than once" in one["sentence"]]
    assert [(one["file"], one["sentence"]) for one in told] == [
        ("queries/adoption.sql", "returns 2 jobs (a, b) more than once: each row counts as a job")
    ]
    items = twice.replace("SELECT e.name,", "SELECT e.name, generate_series::text AS item,")
    assert not [
        one for one in check(database, pack(tmp_path, items))[1] if "once" in one["sentence"]
    ]


def test_a_table_read_from_end_to_end_for_each_key_is_a_fault(
    database: Database, tmp_path: Path
) -> None:
    many(database)
    code, found = check(database, pack(tmp_path, BY_NEIGHBOUR))
    assert code == Exit.MATRIX
    told = [one for one in found if one["sentence"].startswith("with five keys")]
    assert [(one["file"], one["line"]) for one in told] == [("queries/adoption.sql", 2)]
    assert told[0]["sentence"] == "with five keys: public.errand is still read from end to end"


@pytest.mark.parametrize("kind", ["varchar(20)", "uuid", "bigint", "name", "smallint"])
def test_a_key_of_any_type_reaches_its_index(database: Database, tmp_path: Path, kind: str) -> None:
    database.execute(KEYED.replace(b"name text", b"name " + kind.encode()))
    made = pack(tmp_path)
    action = Path(made) / "queries" / "adoption.reclaim.sql"
    action.write_text(action.read_text().replace("::text[]", f"::text[]::{kind}[]"))
    assert check(database, made) == (Exit.CLEAR, [])


def test_a_key_of_a_domain_is_that_of_the_type_below_it(database: Database, tmp_path: Path) -> None:
    database.execute(b"CREATE DOMAIN label AS text CHECK (value <> '')")
    database.execute(KEYED.replace(b"name text", b"name label"))
    assert check(database, pack(tmp_path)) == (Exit.CLEAR, [])


def test_a_view_over_the_table_lets_the_key_through(database: Database, tmp_path: Path) -> None:
    database.execute(KEYED)
    database.execute(b"CREATE VIEW taken AS SELECT * FROM errand WHERE taken_at IS NOT NULL")
    made = pack(tmp_path, "SELECT name, taken_at AS since FROM taken")
    assert check(database, made) == (Exit.CLEAR, [])


def test_a_view_that_keeps_the_key_out_is_caught(database: Database, tmp_path: Path) -> None:
    database.execute(KEYED)
    database.execute(b"CREATE VIEW taken AS SELECT * FROM errand ORDER BY taken_at LIMIT 100")
    code, found = check(database, pack(tmp_path, "SELECT name, taken_at FROM taken"))
    assert code == Exit.MATRIX
    assert ["keep the key a plain column" in one["remedy"] for one in found] == [True]
