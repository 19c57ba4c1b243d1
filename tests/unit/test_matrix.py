from __future__ import annotations

import json
import shutil
from datetime import timedelta
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import yaml

from aps import matrix, packs
from aps.errors import Usage
from aps.model.matrix import Action, Owner, Parameter, Rollback, Severity, Threshold
from tests.unit import small_pack


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return small_pack.write(tmp_path / "small")


def test_a_good_pack_loads_into_the_nouns(pack: Path) -> None:
    loaded = matrix.load(pack)
    assert (loaded.name, loaded.system, loaded.title) == ("small", "exports", "exports")
    assert (loaded.table, loaded.schema, loaded.key) == ("job", None, ("job_id",))
    assert (loaded.fencing, loaded.max_lease) == ("worker-only", timedelta(minutes=15))
    assert loaded.path == pack
    assert loaded.owner == Owner("export-oncall", "#export")
    assert [state.name for state in loaded.states] == ["ready", "adoption", "confirmed_publication"]
    assert loaded.absent["live_lease"] == "see adoption"
    assert loaded.population.file == "queries/population.sql"
    assert loaded.names is not None
    assert loaded.names.name == "names"


def test_a_state_carries_its_action_and_every_query_of_it(pack: Path) -> None:
    adoption = matrix.load(pack).state("adoption")
    assert adoption is not None
    assert adoption.severity == Severity(
        Threshold(count=2), Threshold(count=5, age=timedelta(minutes=15))
    )
    assert adoption.not_ == "that the worker stopped"
    assert adoption.rollback == Rollback("another row changes")
    assert adoption.evidence.parameters == {"clock", "grace", "limit_of_kills"}
    assert [(query.name, query.file) for query in adoption.context] == [
        ("history.context", "queries/history.context.sql")
    ]
    assert adoption.reading == ("heartbeat",)
    action = adoption.action
    assert isinstance(action, Action)
    assert (action.run, action.attest, action.changes_per_job) == ("reclaim", "workers-stopped", 1)
    assert action.query is not None
    assert action.undo is not None
    assert (action.query.name, action.abort, action.verify) == ("adoption.reclaim", None, None)


@pytest.mark.parametrize(
    "answer",
    ["not", "next", "tell", "outside_effects", "done_when", "retention", "forbidden"],
)
def test_every_state_of_the_reference_queue_answers_all_that_a_person_asks(answer: str) -> None:
    states = matrix.load(packs.find(packs.DEFAULT)).states
    field = "not_" if answer == "not" else answer
    assert [state.name for state in states if not getattr(state, field)] == []


def test_what_a_state_leaves_out_has_its_default(pack: Path) -> None:
    ready = matrix.load(pack).state("ready")
    assert ready is not None
    assert (ready.title, ready.kind, ready.liveness, ready.artifacts) == (
        "ready",
        "lifecycle",
        "none",
        None,
    )
    assert ready.owner == Owner("export-oncall", "#export")
    assert (ready.severity, ready.bulk, ready.limit, ready.action) == (Severity(), True, None, None)


def test_a_state_with_an_action_warns_at_one_unless_it_says_otherwise(tmp_path: Path) -> None:
    line = "    severity: {warning: 2, critical: {count: 5, age: 15 min}}\n"
    silent = small_pack.write(tmp_path, ("matrix.yaml", line, ""))
    adoption = matrix.load(silent).state("adoption")
    assert adoption is not None
    assert adoption.severity == Severity(warning=Threshold(count=1))


def test_a_state_whose_query_reads_finished_since_is_finished(pack: Path) -> None:
    finished = {state.name: state.finished for state in matrix.load(pack).states}
    assert finished == {"ready": False, "adoption": False, "confirmed_publication": True}


def test_a_closing_semicolon_is_gone_from_the_sql_that_is_sent(pack: Path) -> None:
    adoption = matrix.load(pack).state("adoption")
    assert adoption is not None
    assert adoption.action is not None
    assert adoption.action.query is not None
    assert adoption.action.query.sql.endswith("RETURNING job_id\n")


def test_an_owner_may_be_a_mere_name_and_a_state_may_have_its_own(tmp_path: Path) -> None:
    edit = ("matrix.yaml", "    means: nobody has it\n", "    means: idle\n    owner: dba\n")
    ready = matrix.load(small_pack.write(tmp_path, edit)).state("ready")
    assert ready is not None
    assert ready.owner == Owner("dba")


def test_a_key_may_have_several_columns(tmp_path: Path) -> None:
    edits = [("matrix.yaml", "key: job_id", "key: [queue, job_id]")]
    for file in ("adoption.reclaim", "adoption.undo", "history.context"):
        path = f"queries/{file}.sql"
        edits.append((path, "%(job_id)s::bigint[]", "%(job_id)s::bigint[]) OR q = ANY(%(queue)s"))
    assert matrix.load(small_pack.write(tmp_path, *edits)).key == ("queue", "job_id")


def test_set_takes_the_place_of_a_default_by_its_type(pack: Path) -> None:
    loaded = matrix.load(pack, {"grace": "2 h", "limit_of_kills": "7"})
    assert loaded.values == {"grace": timedelta(hours=2), "limit_of_kills": 7}
    means = "how long a claim may take"
    assert loaded.parameters["grace"] == Parameter(
        "grace", "interval", timedelta(hours=2), timedelta(seconds=90), means, "s"
    )


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("grase", "2 h", "--set grase: no such parameter; did you mean 'grace'?"),
        ("zzz", "2 h", "--set zzz: no such parameter; known here: grace, limit_of_kills"),
        ("grace", "soon", "--set grace=soon: 'soon' is not a duration such as"),
        ("grace", "", "--set grace=: '' is not a duration such as"),
        ("limit_of_kills", "3.5", "--set limit_of_kills=3.5: must be a whole number"),
    ],
)
def test_a_wrong_set_is_wrong_usage(pack: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(Usage) as caught:
        matrix.load(pack, {name: text})
    assert str(caught.value).startswith(told)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ("false", False)],
)
def test_set_of_a_boolean_takes_true_and_false(tmp_path: Path, text: str, expected: bool) -> None:
    kind = ("matrix.yaml", "{type: integer, default: 3,", "{type: boolean, default: false,")
    loaded = matrix.load(small_pack.write(tmp_path, kind), {"limit_of_kills": text})
    assert loaded.values["limit_of_kills"] is expected


def test_the_digest_follows_the_content_and_not_the_place(pack: Path, tmp_path: Path) -> None:
    first = matrix.load(pack).sha256
    moved = tmp_path / "elsewhere/under another name"
    shutil.copytree(pack, moved)
    assert matrix.load(moved).sha256 == first
    assert matrix.load(moved, {"grace": "1 s"}).sha256 == first


@pytest.mark.parametrize(
    "file", ["matrix.yaml", "queries/ready.sql", "queries/schema.sql", "queries/worker/claim.sql"]
)
def test_the_digest_changes_with_any_file(pack: Path, file: str) -> None:
    first = matrix.load(pack).sha256
    with (pack / file).open("a") as opened:
        opened.write("\n")
    assert matrix.load(pack).sha256 != first


def test_the_digest_changes_when_a_file_takes_another_name(pack: Path) -> None:
    first = matrix.load(pack).sha256
    (pack / "queries/worker/claim.sql").rename(pack / "queries/worker/take.sql")
    assert matrix.load(pack).sha256 != first


def test_the_shipped_json_schema_is_made_from_the_model() -> None:
    shipped = resources.files("aps").joinpath("schemas/matrix.schema.json").read_text("utf-8")
    assert shipped == json.dumps(matrix.schema(), indent=2) + "\n"


def test_the_json_schema_accepts_what_the_loader_accepts() -> None:
    jsonschema.Draft202012Validator.check_schema(matrix.schema())
    jsonschema.validate(yaml.safe_load(small_pack.MATRIX), matrix.schema())
    for key in ("owner", "states"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**yaml.safe_load(small_pack.MATRIX), key: None}, matrix.schema())


def test_every_shipped_pack_loads() -> None:
    for name in packs.known():
        assert matrix.load(packs.find(name)).name == name
