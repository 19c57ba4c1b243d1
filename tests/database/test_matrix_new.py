"""A pack made from a table passes the check and puts every row in exactly one state, whatever the table looks like."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aps import matrix
from tests.support import cli
from tests.support.database import Database

# What a table is read from is the same on both servers; what is written is checked on both elsewhere.
pytestmark = pytest.mark.one_server


@dataclass(frozen=True, slots=True)
class Shape:
    """A table with rows: what `--table` is given, and the states that its rows must be in, with their numbers."""

    table: str
    sql: str
    states: dict[str, int]
    key: tuple[str, ...] = ()
    released: str | None = None


SHAPES = {
    "a text state with a check, and nothing that fences": Shape(
        "task",
        """
        CREATE TABLE task (id integer PRIMARY KEY, title text NOT NULL, rendered_title text,
          state text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'processing', 'done')));
        INSERT INTO task (id, title, state) VALUES
          (1, 'a', 'ready'), (2, 'b', 'processing'), (3, 'c', 'done'), (4, 'd', 'done')
        """,
        {"ready": 1, "processing": 1, "confirmed_publication": 2},
        released="processing",
    ),
    "a name of two words": Shape(
        "Order Items",
        """
        CREATE TABLE "Order Items" (id integer PRIMARY KEY,
          state text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'processing', 'done')));
        INSERT INTO "Order Items" (id, state) VALUES (1, 'ready'), (2, 'processing'), (3, 'done')
        """,
        {"ready": 1, "processing": 1, "confirmed_publication": 1},
        released="processing",
    ),
    "a lease, a worker and an epoch": Shape(
        "lease_job",
        """
        CREATE TYPE phase AS ENUM ('queued', 'claimed', 'running', 'finished', 'failed');
        CREATE TABLE lease_job (id bigint PRIMARY KEY, status phase, claimed_by text, lease_expires_at timestamptz,
          epoch integer NOT NULL DEFAULT 0, created_at timestamptz DEFAULT now(), finished_at timestamptz);
        INSERT INTO lease_job (id, status, claimed_by, lease_expires_at) VALUES
          (1, 'queued', NULL, NULL), (2, 'claimed', 'w1', now() + interval '1 h'),
          (3, 'running', 'w1', now() - interval '1 h'),
          (4, 'running', NULL, NULL), (5, NULL, NULL, NULL), (6, 'finished', NULL, NULL),
          (7, 'failed', NULL, 'infinity')
        """,
        {
            "ready": 1,
            "live_lease": 1,
            "adoption": 1,
            "claimed_without_time": 1,
            "no_value": 1,
            "confirmed_publication": 1,
            "failed": 1,
        },
        released="adoption",
    ),
    "heartbeats and times without a zone": Shape(
        "beat",
        """
        CREATE TABLE beat (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), state varchar(20) NOT NULL
          CHECK (state IN ('pending', 'in_progress', 'completed', 'cancelled')), worker_id text, run_at timestamp,
          last_heartbeat timestamp, created_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
          updated_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'), completed_at timestamp);
        INSERT INTO beat (state, run_at, last_heartbeat, completed_at) VALUES
          ('pending', NULL, NULL, NULL), ('pending', now() AT TIME ZONE 'UTC' + interval '1 h', NULL, NULL),
          ('pending', now() AT TIME ZONE 'UTC' - interval '1 min', NULL, NULL),
          ('in_progress', NULL, now() AT TIME ZONE 'UTC', NULL),
          ('in_progress', NULL, now() AT TIME ZONE 'UTC' - interval '6 min', NULL),
          ('in_progress', NULL, NULL, NULL),
          ('completed', NULL, NULL, now() AT TIME ZONE 'UTC'), ('cancelled', NULL, NULL, NULL)
        """,
        {
            "ready": 2,
            "scheduled_later": 1,
            "beating": 1,
            "silent": 1,
            "in_progress_without_time": 1,
            "confirmed_publication": 1,
            "cancelled": 1,
        },
        released="silent",
    ),
    "a composite key, a domain, and words of SQL as names": Shape(
        "app.OrderLines",
        """
        CREATE SCHEMA app;
        CREATE DOMAIN app.word AS text
          CHECK (VALUE IN ('new', 'picking', 'it''s 100% "done"', 'shipped', '1st', '1 st'));
        CREATE TABLE app."OrderLines" ("orderId" char(4), line smallint, "select" integer, "the item %" text, item text,
          locked boolean, since date, "user" text, "lineState" app.word, "lockedBy" text, "lockedAt" timestamptz,
          PRIMARY KEY ("orderId", line));
        INSERT INTO app."OrderLines" ("orderId", line, "lineState") VALUES
          ('a', 1, 'new'), ('a', 2, 'picking'), ('b', 1, 'it''s 100% "done"'), ('b', 2, 'shipped'), ('c', 1, NULL),
          ('c', 2, '1st'), ('c', 3, '1 st')
        """,
        {
            "ready": 1,
            "picking": 1,
            "it_s_100_done": 1,
            "confirmed_publication": 1,
            "no_value": 1,
            "linestate_1st": 1,
            "linestate_1_st": 1,
        },
        released="picking",
    ),
    "whole numbers that mean something elsewhere": Shape(
        "numbered",
        """
        CREATE TABLE numbered (id serial PRIMARY KEY, status smallint NOT NULL DEFAULT 0);
        INSERT INTO numbered (status) SELECT n % 3 FROM generate_series(1, 9) AS n
        """,
        {"status_0": 3, "status_1": 3, "status_2": 3, "other_value": 0},
    ),
    "a flag, and a lock that is a name and a time": Shape(
        "flagged",
        """
        CREATE TABLE flagged (id int PRIMARY KEY, done boolean, failed_at timestamptz, locked_by text,
          locked_at timestamptz, attempts int NOT NULL DEFAULT 0);
        INSERT INTO flagged VALUES (1, false, NULL, NULL, NULL), (2, NULL, NULL, NULL, NULL),
          (3, true, now(), 'w', now()),
          (4, false, now(), 'w', now()), (5, false, NULL, 'w', now())
        """,
        {"ready": 2, "confirmed_publication": 1, "failed": 1, "claimed": 1},
        released="claimed",
    ),
    "only the time when it was finished": Shape(
        "timed",
        """
        CREATE TABLE timed (id int PRIMARY KEY, payload jsonb, finished_at timestamptz);
        INSERT INTO timed VALUES (1, NULL, NULL), (2, '{}', now())
        """,
        {"ready": 1, "confirmed_publication": 1},
    ),
    "nothing but a key": Shape(
        "bare",
        "CREATE TABLE bare (id text PRIMARY KEY); INSERT INTO bare VALUES ('x')",
        {"ready": 1},
    ),
    "an empty table whose values nobody knows": Shape(
        "empty",
        "CREATE TABLE empty (id int PRIMARY KEY, state text)",
        {"other_value": 0, "no_value": 0},
    ),
    "partitions": Shape(
        "parted",
        """
        CREATE TABLE parted (day date, id int, state text NOT NULL DEFAULT 'queued', started_at timestamptz,
          PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
        CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2026-07-01');
        CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2026-07-01') TO ('2027-01-01');
        INSERT INTO parted (day, id, state) VALUES ('2026-01-01', 1, 'queued'), ('2026-08-01', 1, 'running'),
          ('2026-08-01', 2, 'done')
        """,
        {"ready": 1, "running": 1, "confirmed_publication": 1, "other_value": 0},
        released="running",
    ),
    "a unique index in place of a primary key": Shape(
        "keyless",
        """
        CREATE TABLE keyless (code text NOT NULL UNIQUE,
          state text NOT NULL CHECK (state = 'open' OR state = 'closed'));
        INSERT INTO keyless VALUES ('a', 'open'), ('b', 'closed')
        """,
        {"ready": 1, "confirmed_publication": 1},
        key=("code",),
    ),
}


def made(database: Database, folder: Path, shape: Shape) -> cli.Result:
    """The pack in that folder, written by a role that may only SELECT; its grants given to aps."""
    database.execute(shape.sql.encode())
    quoted = ".".join(f'"{part}"' for part in shape.table.split("."))
    database.execute(f"GRANT SELECT ON {quoted} TO aps_read".encode())
    if "." in shape.table:
        schema = shape.table.partition(".")[0]
        database.execute(f"GRANT USAGE ON SCHEMA {schema} TO aps_read".encode())
    keys = [word for name in shape.key for word in ("--key", name)]
    result = new(database, folder, shape.table, *keys)
    assert result.code == 0, result
    database.execute((folder / "queries/roles.sql").read_bytes())
    return result


def new(database: Database, folder: Path, table: str, *more: str) -> cli.Result:
    dsn = database.dsn("aps_read")
    return cli.call("matrix", "new", str(folder), "--table", table, "--dsn", dsn, *more)


def told(
    database: Database, folder: Path, *words: str, role: str = "aps_operate"
) -> dict[str, Any]:
    place = ("--pack", str(folder), "--dsn", database.dsn(role), "--format", "json")
    result = cli.call(*words, *place)
    assert result.stdout, result
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_new_pack_passes_the_check_and_every_row_is_in_one_state(
    database: Database, tmp_path: Path, shape: Shape
) -> None:
    folder = tmp_path / "pack"
    made(database, folder, shape)
    checked = told(database, folder, "matrix", "check")
    assert not [found for found in checked["findings"] if found["severity"] != "warning"]
    assert checked["totality"]["verdict"] == ("ok" if unfinished(shape) else "not_checked")
    report = told(database, folder, "inspect", "--since", "1d", role="aps_read")
    counted = {one["state"]: one["jobs"] for one in report["states"]}
    assert counted == {**shape.states, "conflict": 0, "unclassified": 0}
    assert not [one for one in report["states"] if one["verdict"] == "undetermined"]


def unfinished(shape: Shape) -> int:
    over = ("confirmed_publication", "failed", "cancelled")
    return sum(number for state, number in shape.states.items() if state not in over)


@pytest.mark.parametrize(
    "shape", [one for one in SHAPES.values() if one.released], ids=lambda one: one.table
)
def test_a_release_makes_the_row_ready_and_needs_the_attestation(
    database: Database, tmp_path: Path, shape: Shape
) -> None:
    folder = tmp_path / "pack"
    made(database, folder, shape)
    assert shape.released is not None
    chosen = ("reclaim", "--state", shape.released, "--all", "--yes", "--reason", "test")
    place = ("--pack", str(folder), "--dsn", database.dsn())
    assert cli.call(*chosen, *place).code == 25
    done = cli.call(*chosen, "--attest", "all-workers-stopped", *place)
    assert done.code == 0, done
    report = told(database, folder, "inspect", "--since", "1d")
    counted = {one["state"]: one["jobs"] for one in report["states"]}
    assert counted[shape.released] == 0
    assert counted["ready"] == shape.states["ready"] + shape.states[shape.released]


def test_fencing_is_never_guessed(database: Database, tmp_path: Path) -> None:
    made(database, tmp_path / "pack", SHAPES["a lease, a worker and an epoch"])
    assert matrix.load(tmp_path / "pack").fencing == "none"
    assert "# GUESS generation: epoch" in (tmp_path / "pack/matrix.yaml").read_text()


REFUSED = {
    "CREATE TABLE t (id int)": ("t", 2, "t has no primary key", "no unique index would do"),
    "CREATE TABLE t (id int NOT NULL UNIQUE)": ("t", 2, "index t_id_key would do: --key id"),
    "CREATE TABLE t (a int UNIQUE)": ("t", 2, "t_a_key would do once a may not be NULL"),
    "CREATE VIEW t AS SELECT 1 AS id": ("t", 2, "t is a view: name the table"),
    "CREATE MATERIALIZED VIEW t AS SELECT 1 AS id": ("t", 2, "t is a materialized view"),
    "CREATE SEQUENCE t": ("t", 2, "t is no table"),
    "CREATE TABLE tasks (id int PRIMARY KEY)": ("task", 2, "no table task", "did you mean tasks?"),
    "CREATE SCHEMA s CREATE TABLE t (id int PRIMARY KEY)": ("t", 2, "there is --table s.t"),
    "CREATE TABLE t (clock int PRIMARY KEY)": ("t", 2, "key by another column"),
    'CREATE TABLE t ("a b" int PRIMARY KEY)': ("t", 2, "'a b' is no plain column name"),
    'CREATE TABLE "a.b.c" (id int PRIMARY KEY)': (
        "a.b.c",
        2,
        "for table a.b.c: its name holds a dot",
    ),
}


@pytest.mark.parametrize("sql", REFUSED)
def test_what_cannot_be_a_queue_is_refused_in_one_sentence(
    database: Database, tmp_path: Path, sql: str
) -> None:
    table, code, *said = REFUSED[sql]
    database.execute(sql.encode())
    database.execute(b"GRANT SELECT ON ALL TABLES IN SCHEMA public TO aps_read")
    cli.refused(new(database, tmp_path / "pack", str(table)), int(code), *map(str, said))
    assert not (tmp_path / "pack").exists()


def test_what_a_person_says_wins_over_the_guess(database: Database, tmp_path: Path) -> None:
    shape = SHAPES["whole numbers that mean something elsewhere"]
    database.execute(shape.sql.encode())
    database.execute(b"ALTER TABLE numbered ADD tenant text, ADD deadline timestamptz")
    database.execute(b"GRANT SELECT ON numbered TO aps_read, aps_operate")
    meant = ["0=ready:waiting", "1=running:measuring", "2=done"]
    words = [word for one in meant for word in ("--value", one)]
    words += ["--column", "worker=tenant", "--column", "lease=none"]
    assert new(database, tmp_path / "pack", "numbered", *words).code == 0
    report = told(database, tmp_path / "pack", "inspect")
    counted = {one["state"]: one["jobs"] for one in report["states"]}
    assert counted["waiting"] == counted["measuring"] == counted["confirmed_publication"] == 3
    loaded = matrix.load(tmp_path / "pack")
    running = loaded.state("measuring")
    assert running is not None
    assert running.action is not None
    assert running.action.to == ("waiting",)
    assert "t.tenant" in running.evidence.sql


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (("--value", "9=ready"), "--value 9: state holds 'queued', 'done'"),
        (("--value", "queued=soon"), "write one of ready, running, done, failed, other"),
        (("--value", "queued=other:A"), "a state's name is lower-case letters"),
        (("--value", "queued=other:no_value"), "no_value"),
        (("--value", "queued"), "write NAME=VALUE"),
        (("--column", "boss=who"), "no such role; there are: state, done"),
        (("--column", "worker=nobody"), "has no such column beside its key"),
        (("--column", "lease=who"), "a column of type text cannot be that"),
        (("--key", "who"), "no unique index of named keeps (who) single"),
        (("--key", "nobody"), "named has no column nobody"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(
    database: Database, tmp_path: Path, word: tuple[str, str], said: str
) -> None:
    database.execute(
        b"CREATE TABLE named (id int PRIMARY KEY, who text, state text CHECK (state IN ('queued', 'done')))"
    )
    database.execute(b"GRANT SELECT ON named TO aps_read")
    cli.refused(new(database, tmp_path / "pack", "named", *word), 2, said)


def test_a_role_that_may_not_read_is_told_the_grant(database: Database, tmp_path: Path) -> None:
    database.execute(b"CREATE TABLE t (id int PRIMARY KEY)")
    result = new(database, tmp_path / "pack", "t")
    cli.refused(result, 25, "aps_read may not read t: GRANT SELECT ON t TO aps_read")


def test_nothing_is_written_over(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    cli.refused(new(database, tmp_path, "t"), 2, "is not empty")
    cli.refused(new(database, tmp_path / "mine.txt", "t"), 2, "is no folder")
    assert (tmp_path / "mine.txt").read_text() == "mine"
