"""The files of a pack for one table, as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aps.scaffold import classes, document, guesses, queries, roles, states
from aps.scaffold.guesses import Guess
from aps.scaffold.table import Table

__all__ = ["Guess", "Pack", "write"]


@dataclass(frozen=True, slots=True)
class Pack:
    """`files` maps a name below the folder to its text; `states` are their names, in the order of the matrix."""

    files: Mapping[str, str]
    guesses: tuple[Guess, ...]
    states: tuple[str, ...]


def write(table: Table, schema: str) -> Pack:
    """`schema` is the JSON Schema that lies beside the matrix, for editors."""
    found = roles.guess(table)
    parts = classes.of(found)
    drafts = states.drafts(parts, found)
    guessed = tuple(guesses.of(table, found))
    files = {
        "matrix.yaml": document.text(table, found, drafts, guessed),
        "matrix.schema.json": schema,
        **dict(queries.files(table, found, drafts, parts)),
    }
    return Pack(files, guessed, tuple(draft.name for draft in drafts))
