from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = sorted((ROOT / "cli").rglob("*.py"))
QUERIES = sorted([*(ROOT / "queries").rglob("*.sql"), *(ROOT / "cli").rglob("*.sql")])
LONGEST_FUNCTION = 30
LONGEST_FILE = 250


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement on; parameters, one a line, and the docstring are not code to follow."""
    first = (
        function.body[1] if ast.get_docstring(function) and function.body[1:] else function.body[0]
    )
    return (function.end_lineno or 0) - first.lineno + 1


@pytest.mark.parametrize("file", CODE, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_no_file_and_no_function_outgrows_one_look(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    long = [one.name for one in functions(ast.parse(text)) if body_lines(one) > LONGEST_FUNCTION]
    assert not long


@pytest.mark.parametrize("file", CODE, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_module_says_what_it_is(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", CODE, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_sql_lives_in_sql_files(file: Path) -> None:
    statement = re.compile(
        r"^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|COPY)\s+\S", re.M
    )
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if hasattr(node, "body") and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [text for text in texts if text not in documented and statement.match(text)]


@pytest.mark.parametrize("file", QUERIES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_query_says_what_it_returns(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith("-- ")
