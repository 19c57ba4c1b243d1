"""What a pack says stands in YAML and in SQL comments, whatever the table's names and values hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aps import matrix, packs
from aps.commands.matrix.schema import text as schema_text
from aps.scaffold import Column, Table, document, write

HEAD = "# yaml-language-server: $schema="


@given(st.text(max_size=30))
def test_any_text_is_one_yaml_value_and_one_comment(said: str) -> None:
    read = yaml.safe_load(f"means: {document.scalar(said)}\n")["means"]
    assert read == "".join(c if c.isprintable() else "?" for c in said)
    for line in document.commented(said):
        assert line.startswith("# ")
        assert yaml.safe_load(line) is None


@pytest.mark.parametrize(
    "value", ["no", "1", "a\nb", "x # y", "a: b", "%(clock)s", "😀", "'", '"', "{", "-"]
)
def test_a_hostile_value_makes_a_pack_that_loads(tmp_path: Path, value: str) -> None:
    key = Column("id", "id", "integer", "N", nullable=False)
    state = Column(
        "state", "state", "text", "S", values=("queued", value, "running"), known="check"
    )
    made = write(Table("job", "job", (key, state), (key,)), schema_text())
    for name, text in made.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert [state.name for state in matrix.load(tmp_path).states] == list(made.states)
    assert len(made.states) == 4


def test_the_schema_that_is_printed_is_the_one_that_ships() -> None:
    assert schema_text() == (packs.HOME / "cli/aps/schemas/matrix.schema.json").read_text("utf-8")


@pytest.mark.parametrize("pack", packs.known())
def test_the_first_line_of_a_shipped_matrix_leads_an_editor_to_the_schema(pack: str) -> None:
    folder = packs.find(pack)
    first = (folder / packs.FILE).read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith(HEAD)
    assert json.loads((folder / first.removeprefix(HEAD)).read_text("utf-8")) == matrix.schema()
