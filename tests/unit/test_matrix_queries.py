from __future__ import annotations

import os
from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from tests.unit import small_pack

READY = "queries/ready.sql"
SELECT = "SELECT job_id FROM job WHERE state = 'ready'\n"
RECLAIM = "queries/adoption.reclaim.sql"
UPDATE = small_pack.FILES[RECLAIM].split("\n", 1)[1]


def told(folder: Path) -> list[str]:
    with pytest.raises(MatrixError) as caught:
        matrix.load(folder)
    return str(caught.value).splitlines()


# What evidence must not be; the body of queries/ready.sql below its header, and the line told.
EVIDENCE = [
    ("DELETE FROM job\n", "2: does not read; begin with SELECT, WITH or VALUES"),
    ("\n\nEXPLAIN SELECT 1\n", "4: does not read; begin with SELECT, WITH or VALUES"),
    (
        "WITH gone AS (\n  DELETE FROM job RETURNING *)\nSELECT job_id FROM gone\n",
        "3: writes (DELETE); it may only read (a name? quote it)",
    ),
    (
        "SELECT job_id INTO other FROM job\n",
        "2: writes (INTO); it may only read (a name? quote it)",
    ),
    (
        "SELECT job_id\n FROM job FOR UPDATE\n",
        "3: takes row locks; remove the FOR clause, aps locks",
    ),
    (
        "SELECT job_id FROM job\n for no key\n update skip locked\n",
        "4: takes row locks; remove the FOR clause, aps locks",
    ),
    ("SELECT job_id FROM job FOR KEY SHARE\n", "2: takes row locks; remove the FOR clause, aps lo"),
    ("SELECT 1;\nSELECT 2\n", "3: a second statement; one file holds one statement"),
    ("SELECT 1;;\n", "2: a second statement; one file holds one statement"),
    (
        "SELECT 1; -- a ; here\n\n/* and ; */ DROP TABLE job\n",
        "4: a second statement; one file hold",
    ),
    ("SELECT 1)\nUNION (SELECT 2\n", "2: a ) that nothing opens"),
    ("SELECT (\n1\n", "2: this ( is never closed"),
    ("SELECT 'a\n", "2: 'a is opened here and never closed"),
    ('SELECT "a\n', '2: "a is opened here and never closed'),
    ("SELECT $q$ a\n", "2: $q is opened here and never closed"),
    ("SELECT 1 /* a /* b */\n", "2: /* is opened here and never closed"),
    ("-- nothing else\n", "1: holds no statement"),
    ("SELECT job_id FROM job WHERE id %\n 2 = 0\n", "2: a lone % (comments and quotes count too)"),
    ("SELECT job_id FROM job WHERE a LIKE '5%'\n", "2: a lone % (comments and quotes count too)"),
    ("-- by 5% at most\nSELECT 1\n", "2: a lone % (comments and quotes count too); write %%"),
    ("SELECT %s\n", "2: %s is positional; name the parameter: %(name)s"),
    ("SELECT %(clock)\n", "2: %(clock) needs an s after it: %(clock)s"),
    ("SELECT %(clock)b\n", "2: %(clock) needs an s after it: %(clock)s"),
    ("SELECT %(the clock)s\n", "2: %(the clock)s is no name of a parameter; use letters, digits"),
    ("SELECT %(clok)s\n", "2: unknown parameter %(clok)s; did you mean 'clock'?"),
    ("SELECT 1 -- %(grase)s\n", "2: unknown parameter %(grase)s; did you mean 'grace'?"),
    ("SELECT '%(grase)s'\n", "2: unknown parameter %(grase)s; did you mean 'grace'?"),
    ("SELECT %(job_id)s\n", "2: %(job_id)s is bound to the queries of an action only; find all"),
    ("SELECT %(reason)s\n", "2: %(reason)s is bound to the queries of an action only; find all"),
]


@pytest.mark.parametrize(("body", "line"), EVIDENCE)
def test_evidence_that_breaks_its_contract_is_told(tmp_path: Path, body: str, line: str) -> None:
    lines = told(small_pack.write(tmp_path, (READY, SELECT, body)))
    assert len(lines) == 1
    assert lines[0].startswith(f"{READY}:{line}")


# What looks like a fault and is none.
INNOCENT = [
    "SELECT job_id FROM job;\n",
    "SELECT job_id FROM job; -- done; really\n",
    "SELECT 'insert; delete', $$ update; $$, $a$ $$ merge; $a$, E'it\\'s; delete', 'it''s; x'\n",
    'SELECT "update", j."delete", j.insert FROM job j\n',
    "SELECT 1 /* drop; /* delete; */ update; */ - 2 -- ; delete\n",
    "SELECT 17 %% 5, a LIKE '5%%', %(clock)s, %(max_lease)s, %(observed_names)s::text[]\n",
    "(SELECT job_id FROM job) UNION ALL (SELECT job_id FROM job)\n",
    "VALUES (1), (2)\n",
    "WITH a AS (SELECT updated_at AS since FROM job) SELECT since FROM a\n",
]


@pytest.mark.parametrize("body", INNOCENT)
def test_what_only_looks_like_a_fault_loads(tmp_path: Path, body: str) -> None:
    assert matrix.load(small_pack.write(tmp_path, (READY, SELECT, body))).state("ready")


ACTION = [
    (UPDATE, "DROP TABLE job\n", "2: DROP is no action; use one statement that writes"),
    (" RETURNING job_id;", ";", "2: returns nothing; end with RETURNING and the key columns"),
    ("ANY(%(job_id)s::bigint[])", "1", "1: does not name its jobs; use %(job_id)s, the array of"),
    ("bigint[])", "bigint[]) AND %(who)s", "3: unknown parameter %(who)s; known here: "),
]


@pytest.mark.parametrize(("old", "new", "line"), ACTION)
def test_an_action_that_breaks_its_contract_is_told(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    lines = told(small_pack.write(tmp_path, (RECLAIM, old, new)))
    assert any(told.startswith(f"{RECLAIM}:{line}") for told in lines)


def test_an_action_may_call_a_function_of_the_queue_and_read_the_operation(tmp_path: Path) -> None:
    call = "SELECT job_id FROM retry(%(job_id)s, %(items)s, %(operation)s, %(reason)s, %(actor)s)\n"
    loaded = matrix.load(small_pack.write(tmp_path, (RECLAIM, UPDATE, call)))
    assert loaded.state("adoption")


def test_abort_and_verify_are_loaded_and_must_only_read(tmp_path: Path) -> None:
    abort = ("queries/adoption.abort.sql", "", "-- Rows stop it.\nSELECT %(job_id)s, %(actor)s\n")
    verify = ("queries/adoption.verify.sql", "", "-- Rows are wrong.\nDELETE FROM job\n")
    folder = small_pack.write(tmp_path, abort, verify)
    assert told(folder) == [
        "queries/adoption.verify.sql:2: does not read; begin with SELECT, WITH or VALUES"
    ]
    (folder / "queries/adoption.verify.sql").unlink()
    adoption = matrix.load(folder).state("adoption")
    assert adoption is not None
    assert adoption.action is not None
    assert adoption.action.abort is not None
    assert adoption.action.abort.name == "adoption.abort"


def test_a_file_without_a_header_is_told(tmp_path: Path) -> None:
    assert told(small_pack.write(tmp_path, (READY, "-- Ready; no %%.\n", ""))) == [
        f"{READY}:1: begins without a comment; say there what the query returns"
    ]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("ready", "12:3: states.ready: queries/ready.sql is missing; write it"),
        ("adoption.reclaim", "19:14: states.adoption.action.run: queries/adoption.reclaim.sql is"),
        ("history.context", "21:5: states.adoption.context: queries/history.context.sql is missi"),
        ("population", "11:1: states: queries/population.sql is missing; write it"),
        ("names", "11:1: states: queries/names.sql is missing; write it"),
    ],
)
def test_a_missing_query_is_told_where_the_matrix_asks_for_it(
    tmp_path: Path, file: str, line: str
) -> None:
    folder = small_pack.write(tmp_path)
    (folder / f"queries/{file}.sql").unlink()
    assert told(folder)[0].startswith(f"matrix.yaml:{line}")


def test_names_are_needed_only_where_a_state_looks_at_files(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path, ("matrix.yaml", ", artifacts: optional", ""))
    (folder / "queries/names.sql").unlink()
    assert matrix.load(folder).names is None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("redy", "no state is called redy; did you mean 'ready.sql'? If not, move it to"),
        ("zzz", "no state is called zzz; if it is not for aps, move it to a folder below queries/"),
        ("ready.reclaim", "the state ready has no action that would run reclaim; "),
        ("adoption.reconcile", "the state adoption has no action that would run reconcile; did"),
        ("hist.context", "no state names the context hist; did you mean 'history.context.sql'?"),
    ],
)
def test_a_query_that_nothing_reads_is_told(tmp_path: Path, file: str, text: str) -> None:
    path = f"queries/{file}.sql"
    lines = told(small_pack.write(tmp_path, (path, "", "-- x\nSELECT 1\n")))
    assert len(lines) == 1
    assert lines[0].startswith(f"{path}:1: {text}")


def test_a_misspelt_run_does_not_make_strays_of_the_files_of_the_state(tmp_path: Path) -> None:
    lines = told(small_pack.write(tmp_path, ("matrix.yaml", "run: reclaim", "run: reclaime")))
    assert len(lines) == 1


def test_a_parameter_that_no_query_uses_is_told(tmp_path: Path) -> None:
    unused = "parameters:\n  window: {type: interval, default: 1 d, means: x}\n"
    assert told(small_pack.write(tmp_path, ("matrix.yaml", "parameters:\n", unused))) == [
        "matrix.yaml:9:3: parameters.window: no query uses it; remove it, or bind it as %(window)s"
    ]


def test_max_lease_is_bound_only_where_it_is_declared(tmp_path: Path) -> None:
    undeclared = ("matrix.yaml", "max_lease: 15 min\n", "")
    folder = small_pack.write(tmp_path, undeclared, (READY, SELECT, "SELECT %(max_lease)s\n"))
    assert told(folder) == [
        f"{READY}:2: %(max_lease)s is used, but matrix.yaml declares no max_lease; declare it"
    ]


def test_every_key_column_must_stand_in_an_action(tmp_path: Path) -> None:
    lines = told(small_pack.write(tmp_path, ("matrix.yaml", "key: job_id", "key: [queue, job_id]")))
    assert lines == [
        f"queries/{file}.sql:1: does not name its jobs; use %(queue)s, the array of keys"
        for file in ("adoption.reclaim", "adoption.undo", "history.context")
    ]


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path / "pack")
    (folder / READY).rename(tmp_path / "ready.sql")
    (folder / READY).symlink_to("../../ready.sql")
    assert told(folder) == [f"{READY}:1: leads outside the pack; put the file itself there"]


def test_a_link_within_the_folder_and_a_linked_pack_are_fine(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path / "pack")
    (folder / READY).rename(folder / "queries/worker/ready.sql")
    (folder / READY).symlink_to("worker/ready.sql")
    (tmp_path / "alias").symlink_to(folder)
    assert matrix.load(tmp_path / "alias").path == folder


def test_a_state_cannot_climb_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("-- x\nSELECT 1\n")
    climb = ("matrix.yaml", "context: history", "context: [history, ../../x]")
    text = "states.adoption.context.1: the name of a context is lower-case letters, digits and _"
    assert told(small_pack.write(tmp_path / "pack", climb)) == [f"matrix.yaml:21:24: {text}"]


def test_what_is_no_file_and_no_text_is_told(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path)
    (folder / "queries/worker/folder.sql").mkdir()
    os.mkfifo(folder / "queries/worker/pipe.sql")
    (folder / "queries/worker/latin.sql").write_bytes(b"-- b\xfcro\nSELECT 1\n")
    (folder / "queries/worker/nul.sql").write_bytes(b"-- x\nSELECT\0 1\n")
    assert told(folder) == [
        "queries/worker/folder.sql:1: not a plain file",
        "queries/worker/latin.sql:1: not UTF-8; save the file as UTF-8",
        "queries/worker/nul.sql:1: holds a NUL byte; this is no SQL",
        "queries/worker/pipe.sql:1: not a plain file",
    ]


def test_a_hidden_file_of_an_editor_is_left_alone(tmp_path: Path) -> None:
    assert matrix.load(small_pack.write(tmp_path, ("queries/.#ready.sql", "", "half a statem")))
