from __future__ import annotations

from pathlib import Path

import pytest

from aps import matrix
from aps.errors import MatrixError
from tests.unit import small_pack
from tests.unit.small_pack import Edit

READY = "    means: nobody has it\n"
UNDO = "queries/adoption.undo.sql"


def told(folder: Path) -> list[str]:
    with pytest.raises(MatrixError) as caught:
        matrix.load(folder)
    return str(caught.value).splitlines()


# One change of matrix.yaml, and the line that alone is told.
ALONE = [
    ("table: job", "table: '\"job\"'", "3:8: table: write the name without quotes: table, or sche"),
    ("table: job", "table: a.b.c", "3:8: table: write the name without quotes: table, or schema"),
    ("  live_lease: see adoption\n", "", "24:1: absent: live_lease is neither a state nor absent;"),
    (
        "  live_lease: see",
        "  live_leese: see",
        "24:1: absent: live_lease is neither a state nor absent; write `live_lease: why` "
        "below absent (did you mean 'live_leese'?)",
    ),
    ("absent:\n", "absent:\n  ready: idle\n", "25:3: absent.ready: is a state too; remove it here"),
    (
        "attest: workers-stopped, ",
        "",
        "19:5: states.adoption.action.attest: missing; fencing is not enforced, so a late worker",
    ),
    (
        "{criterion: another row changes}",
        "{criterion: x, irreversible: y}",
        "20:30: states.adoption",
    ),
    (
        "{run: reclaim, attest: workers-stopped, effect: ready again}",
        "{run: manual, command: 'free {idd}', effect: ready again}",
        "19:36: states.adoption.action.command: {idd} is nothing that is filled in; there are {dsn}, {job_id}",
    ),
    (
        "effect: ready again",
        "effect: x, command: y",
        "19:64: states.adoption.action.command: is fo",
    ),
    (
        "    action: none\n",
        "    action: none\n    rollback: {criterion: x}\n",
        "15:5: states.ready.rollback: there is no action to roll back; remove it",
    ),
    (
        "  ready:\n",
        "  Ready:\n    means: x\n    action: none\n  ready:\n",
        "12:3: states.Ready: a state's name is lower-case letters, digits and _, a letter first",
    ),
    ('owner: {team: export-oncall, contact: "#export"}\n', "", "11:3: states.ready.owner: missing"),
]


@pytest.mark.parametrize(("old", "new", "line"), ALONE)
def test_a_broken_rule_is_told_at_its_place(tmp_path: Path, old: str, new: str, line: str) -> None:
    lines = told(small_pack.write(tmp_path, ("matrix.yaml", old, new)))
    assert lines[0].startswith(f"matrix.yaml:{line}")


@pytest.mark.parametrize(
    "name", ["unclassified", "conflict", "undetermined", "not_looked", "names"]
)
def test_a_state_may_not_take_a_name_of_aps(tmp_path: Path, name: str) -> None:
    edit = ("matrix.yaml", "  ready:\n", f"  {name}: {{means: x, action: none}}\n  ready:\n")
    line = f"matrix.yaml:12:3: states.{name}: the name has a meaning for aps; take another"
    assert line in told(small_pack.write(tmp_path, edit))


@pytest.mark.parametrize(
    "name",
    ["clock", "max_lease", "finished_since", "observed_names", "operation", "reason", "actor"]
    + ["items", "job_id"],
)
def test_a_parameter_may_not_take_a_name_that_aps_binds(tmp_path: Path, name: str) -> None:
    declared = f"parameters:\n  {name}: {{type: integer, default: 1, means: x}}\n"
    edit = ("matrix.yaml", "parameters:\n", declared)
    line = f"matrix.yaml:9:3: parameters.{name}: the name is bound by aps itself; take another"
    assert line in told(small_pack.write(tmp_path, edit))


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("[job_id, job_id]", "matrix.yaml:4:15: key.1: job_id stands twice; name each column once"),
        ('["job id"]', "matrix.yaml:4:7: key.0: 'job id' is no plain column name"),
        ("[since]", "matrix.yaml:4:7: key.0: since has a meaning for aps; key by another column"),
        ("actor", "matrix.yaml:4:6: key: actor has a meaning for aps; key by another column"),
    ],
)
def test_a_key_that_cannot_be_bound_is_told(tmp_path: Path, key: str, line: str) -> None:
    assert line in told(small_pack.write(tmp_path, ("matrix.yaml", "key: job_id", f"key: {key}")))


def test_an_action_without_a_rollback_is_told(tmp_path: Path) -> None:
    edit = ("matrix.yaml", "    rollback: {criterion: another row changes}\n", "")
    assert told(small_pack.write(tmp_path, edit)) == [
        "matrix.yaml:15:3: states.adoption.rollback: missing; "
        "write {criterion: what shows that it was wrong, irreversible: why}"
    ]


def test_an_action_needs_an_undo_file_or_the_reason_why_there_is_none(tmp_path: Path) -> None:
    folder = small_pack.write(tmp_path)
    (folder / UNDO).unlink()
    assert told(folder) == [
        "matrix.yaml:20:5: states.adoption.rollback.irreversible: missing; "
        "say why there is no way back, or write queries/adoption.undo.sql"
    ]


def test_enforced_fencing_needs_no_attestation(tmp_path: Path) -> None:
    edits: list[Edit] = [
        ("matrix.yaml", "attest: workers-stopped, ", ""),
        ("matrix.yaml", "fencing: worker-only", "fencing: enforced"),
    ]
    assert matrix.load(small_pack.write(tmp_path, *edits)).fencing == "enforced"


def test_a_manual_action_names_its_command_and_needs_no_query(tmp_path: Path) -> None:
    old = "action: none\n  adoption"
    new = "action: {run: manual, effect: settled}\n    rollback: {criterion: x}\n  adoption"
    folder = small_pack.write(tmp_path, ("matrix.yaml", old, new))
    assert told(folder) == [
        "matrix.yaml:14:5: states.ready.action.command: missing; manual names what a person runs"
    ]
    text = (folder / "matrix.yaml").read_text()
    (folder / "matrix.yaml").write_text(text.replace("settled}", "settled, command: ask them}"))
    ready = matrix.load(folder).state("ready")
    assert ready is not None
    assert ready.action is not None
    assert (ready.action.command, ready.action.query) == ("ask them", None)


def test_the_owner_of_the_file_spares_the_states_theirs(tmp_path: Path) -> None:
    owner = 'owner: {team: export-oncall, contact: "#export"}\n'
    lines = told(small_pack.write(tmp_path, ("matrix.yaml", owner, "")))
    assert [line.split(": ")[1] for line in lines] == [
        "states.ready.owner",
        "states.adoption.owner",
        "states.confirmed_publication.owner",
    ]
