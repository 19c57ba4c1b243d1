from __future__ import annotations

import time
from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from tests.unit import small_pack
from tests.unit.small_pack import MATRIX


def told(folder: Path) -> str:
    with pytest.raises(MatrixError) as caught:
        matrix.load(folder)
    assert caught.value.exit_code == 30
    return str(caught.value)


READY = "    means: nobody has it\n"
# What to change in matrix.yaml, what to put there, the line that is told.
FAULTS = [
    ("system: exports", "", "matrix.yaml:1:1: system: missing; name the queue"),
    ("matrix: 1", "matrix: 2", "matrix.yaml:1:9: matrix: must be one of 1"),
    ("table: job", "tabel: job", "matrix.yaml:3:1: tabel: unknown key; did you mean 'table'?"),
    ("table: job", "", "matrix.yaml:1:1: table: missing; name the table whose rows are the jobs"),
    ("key: job_id", "key: []", "matrix.yaml:4:6: key: must hold at least one"),
    ("key: job_id", "key: {a: b}", "matrix.yaml:4:6: key: must be text, not a list or a mapping"),
    (
        "fencing: worker-only",
        "fencing: worker_only",
        "matrix.yaml:5:10: fencing: must be one of enforced, worker-only, none; "
        "did you mean 'worker-only'?",
    ),
    ("fencing: worker-only", "fencing: no", "matrix.yaml:5:10: fencing: must be one of enforced,"),
    ("15 min\n", "soon\n", "matrix.yaml:6:12: max_lease: 'soon' is not a duration such as"),
    ("15 min\n", "900\n", 'matrix.yaml:6:12: max_lease: must be a duration such as "90 s"'),
    ("15 min\n", "22:30\n", "matrix.yaml:6:12: max_lease: must be a duration such as"),
    ("15 min\n", "0 s\n", "matrix.yaml:6:12: max_lease: must be longer than zero"),
    ("15 min\n", "999999999 d\n", "matrix.yaml:6:12: max_lease: '999999999 d' is longer than a c"),
    ("{team: export-oncall,", "{", "matrix.yaml:7:1: owner.team: missing; name the team that is"),
    (
        "{team: export-oncall,",
        "{team: 5,",
        'matrix.yaml:7:15: owner.team: must be text, but is read as a number; quote it: "5"',
    ),
    ("unit: s,", "units: s,", "matrix.yaml:9:42: parameters.grace.units: unknown key; did you"),
    ("type: integer", "type: int", "matrix.yaml:10:26: parameters.limit_of_kills.type: must be"),
    ("default: 3", "default: [3]", "matrix.yaml:10:44: parameters.limit_of_kills.default: must be"),
    ("default: 3", "default: 0", "limit_of_kills.default: must be a whole number from 1 to 21474"),
    ("default: 3", "default: 2147483648", "default: must be a whole number from 1 to 2147483647"),
    ("default: 3", "default: x", "10:44: parameters.limit_of_kills.default: must be a whole n"),
    (READY, "", "matrix.yaml:12:3: states.ready.means: missing; say in one sentence"),
    (READY, "    meens: x\n", "matrix.yaml:13:5: states.ready.meens: unknown key; did you mean"),
    (
        READY,
        "    means: 22:30\n",
        "matrix.yaml:13:12: states.ready.means: must be text, but is read as a number; "
        'quote it: "22:30"',
    ),
    (READY, "    means: yes\n", 'must be text, but is read as true or false; quote it: "yes"'),
    (READY, "    means: true\n", 'must be text, but is read as true or false; quote it: "true"'),
    (READY, "    means: 2026-01-01\n", 'is read as a date; quote it: "2026-01-01"'),
    (READY, "    means: 1_000\n", 'is read as a number; quote it: "1_000"'),
    (READY, "    means:\n", "matrix.yaml:13:11: states.ready.means: empty; write a value or remo"),
    (READY, '    means: "  "\n', "matrix.yaml:13:12: states.ready.means: an empty text; write"),
    (READY, "    means: [a]\n", "matrix.yaml:13:12: states.ready.means: must be text, not a list"),
    (READY, f"{READY}    kind: layer\n", "must be one of lifecycle, overlay"),
    (READY, f"{READY}    bulk: no\n", "matrix.yaml:14:11: states.ready.bulk: must be true or fal"),
    (READY, f"{READY}    limit: 0\n", "matrix.yaml:14:12: states.ready.limit: must be at least 1"),
    (READY, f"{READY}    limit: ten\n", "states.ready.limit: must be a whole number"),
    (
        READY,
        f"{READY}    no: that it is fast\n",
        'matrix.yaml:14:5: states.ready.no: as a key it is read as true or false; quote it: "no"',
    ),
    ("    action: none\n", "", "matrix.yaml:12:3: states.ready.action: missing; write none, or"),
    ("    action: none\n", "    action: reclaim\n", "states.ready.action: must be none, or {run:"),
    ("warning: 2", "warning: 0", "18:25: states.adoption.severity.warning: must be at least"),
    ("warning: 2", "warning: {}", "states.adoption.severity.warning: says nothing; write a count"),
    ("warning: 2", "warning: soon", "states.adoption.severity.warning: must be a mapping"),
    ("15 min}}", "0 min}}", "states.adoption.severity.critical.age: must be longer than zero"),
    ("{count: 5,", "{counts: 5,", "states.adoption.severity.critical.counts: unknown key; did you"),
    ("run: reclaim", "run: reclaime", "matrix.yaml:19:19: states.adoption.action.run: must be one"),
    (", effect: ready again", "", "matrix.yaml:19:5: states.adoption.action.effect: missing; say"),
    ("criterion: another row changes", "", "20:5: states.adoption.rollback.criterion: missing"),
    ("  live_lease: see", "  live_lease: no #", "26:15: absent.live_lease: must be text, but is"),
]


@pytest.mark.parametrize(("old", "new", "line"), FAULTS)
def test_a_fault_of_the_shape_is_told_at_its_place(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    assert line in told(small_pack.write(tmp_path, ("matrix.yaml", old, new)))


# The whole file, and how the first line that is told begins.
UNREADABLE = [
    ("", "matrix.yaml:1:1: the file is empty; begin with `matrix: 1`"),
    ("# only this\n", "matrix.yaml:1:1: the file is empty"),
    ("- a\n- b\n", "matrix.yaml:1:1: the file must be a mapping"),
    ("\n\nexports\n", "matrix.yaml:3:1: the file must be a mapping"),
    ("matrix: 1\n\tsystem: x\n", "matrix.yaml:2:1: not YAML:"),
    ("matrix: 1\nkey: [a, b\n", "matrix.yaml:3:1: not YAML:"),
    ("matrix: 1\n---\nmatrix: 1\n", "matrix.yaml:2:1: not YAML: but found another document"),
    ("matrix: \x01\n", "matrix.yaml:1:9: not YAML: control characters are not allowed"),
    ("matrix: *one\n", "matrix.yaml:1:9: not YAML: found undefined alias"),
    ("a: " + "{b: " * 90000, "matrix.yaml:1:"),
    ("x" * ((1 << 18) + 1), "matrix.yaml:1:1: larger than 262144 bytes"),
]


@pytest.mark.parametrize(("text", "line"), UNREADABLE, ids=[line for _, line in UNREADABLE])
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(
    tmp_path: Path, text: str, line: str
) -> None:
    assert told(small_pack.write(tmp_path, ("matrix.yaml", "", text))).startswith(line)


def test_a_tab_is_named_as_the_cause(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path, ("matrix.yaml", "", "a:\n  b: c\n\td: e\n"))
    assert told(folder).endswith("indent with spaces, not with a tab")


def test_a_wrong_encoding_is_named_with_its_place(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path)
    (folder / "matrix.yaml").write_bytes("matrix: 1\nsystem: b\xfcro\n".encode("latin-1"))
    assert told(folder) == "matrix.yaml:2:10: not UTF-8; save the file as UTF-8"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path)
    text = MATRIX.replace("\n", "\r\n")
    (folder / "matrix.yaml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert matrix.load(folder).system == "exports"


def test_a_key_that_stands_twice_is_told_with_both_places(tmp_path: Path) -> None:
    double = ("matrix.yaml", "key: job_id\n", "key: job_id\nsystem: other\n")
    assert told(small_pack.write(tmp_path, double)) == (
        "matrix.yaml:5:1: system: the key stands already at 2:1; keep one of the two"
    )


def test_an_alias_and_a_merge_key_are_refused(tmp_path: Path) -> None:
    text = MATRIX.replace("owner: {", "owner: &team {").replace(READY, f"{READY}    owner: *team\n")
    aliased = small_pack.write(tmp_path, ("matrix.yaml", "", text))
    assert (
        told(aliased) == "matrix.yaml:14:5: states.ready.owner: aliases are not read; write it out"
    )
    merged = text.replace("owner: *team", "<<: *team")
    (tmp_path / "matrix.yaml").write_text(merged)
    assert told(aliased) == "matrix.yaml:14:5: states.ready: merge keys are not read; write it out"


def test_a_tag_is_refused(tmp_path: Path) -> None:
    tag = ("matrix.yaml", "system: exports", "system: !!python/name:os.system x")
    line = "matrix.yaml:2:9: system: the tag 'tag:yaml.org,2002:python/name:os.system' is not read"
    assert line in told(small_pack.write(tmp_path, tag))


def test_an_alias_bomb_does_not_hang(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    begun = time.monotonic()
    bomb = "\n".join(lines) + "\na30: &b [*b]\n"
    assert "aliases are not read" in told(small_pack.write(tmp_path, ("matrix.yaml", "", bomb)))
    assert time.monotonic() - begun < 5


def test_a_deep_nest_is_told_once_and_not_followed(tmp_path: Path) -> None:
    nest = ("matrix.yaml", "", "a: " + "[" * 900 + "]" * 900)
    lines = told(small_pack.write(tmp_path, nest)).splitlines()
    assert [line for line in lines if line.endswith("nested too deep to be a matrix")] == [
        f"matrix.yaml:1:24: a{'.0' * 20}: nested too deep to be a matrix"
    ]


def test_faults_without_end_are_cut_off_and_stay_quick(tmp_path: Path) -> None:
    begun = time.monotonic()
    keys = "".join(f"key{n}:\n" for n in range(25_000))
    lines = told(small_pack.write(tmp_path, ("matrix.yaml", "", keys))).splitlines()
    assert len(lines) == 301
    assert lines[-1] == "more faults than can be told at once; mend these first"
    assert time.monotonic() - begun < 5


def test_what_a_file_says_cannot_break_the_line_of_its_fault(tmp_path: Path) -> None:
    word = "x" * 1000
    broken = ("matrix.yaml", "system: exports", f'"a\\e[31m\\nb{word}": 1')
    lines = told(small_pack.write(tmp_path, broken)).splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("matrix.yaml:2:1: a [31m bxxx")
    assert len(lines[1]) == 400


def test_a_folder_without_a_matrix_says_so(tmp_path: Path) -> None:
    assert told(tmp_path) == (
        f"matrix.yaml:1:1: cannot be read: no such file or directory ({tmp_path})"
    )


def test_every_fault_is_told_at_once_in_the_order_of_the_files(tmp_path: Path) -> None:
    edits = [
        ("matrix.yaml", "table: job", "tabel: job"),
        ("matrix.yaml", READY, "    means: no\n"),
        ("matrix.yaml", "warning: 2", "warning: 0"),
        ("matrix.yaml", "  live_lease: see adoption\n", ""),
        ("queries/ready.sql", "SELECT", "DELETE"),
        ("queries/adoption.sql", "%(grace)s", "%(grase)s"),
    ]
    lines = told(small_pack.write(tmp_path, *edits)).splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "matrix.yaml:1:1",
        "matrix.yaml:3:1",
        "matrix.yaml:9:3",
        "matrix.yaml:13:12",
        "matrix.yaml:18:25",
        "matrix.yaml:24:1",
        "queries/adoption.sql:4",
        "queries/ready.sql:2",
    ]
