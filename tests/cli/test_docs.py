"""What the code has, the documents name; their tables are those that the code makes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aps import matrix, packs
from aps.exits import MEANING
from aps.model.operation import OUTCOMES
from tests.support import reference

CODE = reference.ROOT / "cli" / "aps"
REFERENCE = reference.FILE.read_text(encoding="utf-8")
ALL = "\n".join(
    file.read_text(encoding="utf-8")
    for file in (reference.ROOT / "README.md", *sorted((reference.ROOT / "docs").glob("*.md")))
)
OPTIONS = [
    (words, one.opts[0])
    for words, command in reference.commands().items()
    for one in reference.options(command)
]


def environment() -> Iterator[str]:
    """Every variable that the code asks the environment for."""
    for file in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            yield from _asked(node)


def _asked(node: ast.AST) -> Iterator[str]:
    asks: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if "environ" in ast.unparse(node.func.value) or node.func.attr == "getenv":
            asks += node.args[:1]
    elif isinstance(node, ast.Subscript) and "environ" in ast.unparse(node.value):
        asks.append(node.slice)
    elif isinstance(node, ast.Compare) and "environ" in ast.unparse(node.comparators[0]):
        asks.append(node.left)
    elif isinstance(node, ast.keyword) and node.arg == "envvar":
        asks.append(node.value)
    for ask in asks:
        if isinstance(ask, ast.Constant) and isinstance(ask.value, str):
            yield ask.value


@pytest.mark.parametrize("name", reference.blocks(REFERENCE))
def test_a_table_is_the_one_that_the_code_makes(name: str) -> None:
    assert reference.blocks(REFERENCE)[name] == reference.table(name), (
        "write it anew: python -m tests.support.reference"
    )


def test_the_tables_are_all_there() -> None:
    wanted = {f"options {words}" for words, _ in OPTIONS}
    assert set(reference.blocks(REFERENCE)) == wanted | {
        "commands",
        "exit codes",
        "outcomes",
        "states",
        "parameters",
    }


@pytest.mark.parametrize("words", reference.commands())
def test_every_command_is_named(words: str) -> None:
    assert f"`aps {words}" in ALL


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_every_option_is_named_and_has_help(words: str, option: str) -> None:
    assert f"`{option}" in reference.blocks(REFERENCE)[f"options {words}"]
    assert all(one.help for one in reference.options(reference.commands()[words]))


@pytest.mark.parametrize("code", MEANING, ids=lambda code: str(code.value))
def test_every_exit_code_is_told(code: int) -> None:
    assert f"| {int(code)} |" in REFERENCE


@pytest.mark.parametrize("state", [state.name for state in matrix.load(packs.HOME).states])
def test_every_state_is_told(state: str) -> None:
    assert f"`{state}`" in ALL


def test_every_variable_of_the_environment_is_told() -> None:
    asked = set(environment())
    assert {"APS_DSN", "APS_PACK", "APS_PACK_SHA256", "NO_COLOR", "TERM"} <= asked
    assert not {name for name in asked if f"`{name}" not in ALL}


def test_every_outcome_is_told() -> None:
    assert all(f"`{outcome}`" in REFERENCE for outcome in OUTCOMES)


def test_every_link_leads_to_a_file() -> None:
    for file in (reference.ROOT / "README.md", *(reference.ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text(encoding="utf-8")):
            assert (file.parent / Path(target)).exists(), f"{file.name}: {target}"
