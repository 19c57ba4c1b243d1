"""The files of a pack for one table, as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aps.scaffold import classes, document, guesses, queries, roles, states
from aps.scaffold.classes import Meant
from aps.scaffold.guesses import Guess
from aps.scaffold.table import Table

__all__ = ["NOTHING", "Guess", "Pack", "Told", "write"]


@dataclass(frozen=True, slots=True)
class Pack:
    """`files` maps a name below the folder to its text; `states` are their names, in the order of the matrix."""

    files: Mapping[str, str]
    guesses: tuple[Guess, ...]
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What a person says instead of a guess: the sort of a value, the column of a role."""

    values: Mapping[str, Meant]
    columns: Mapping[str, str]


NOTHING = Told(MappingProxyType({}), MappingProxyType({}))


def write(table: Table, schema: str, told: Told = NOTHING) -> Pack:
    """`schema` is the JSON Schema that lies beside the matrix, for editors. Raises Usage for what does not fit."""
    found = roles.guess(table, told.columns)
    parts = classes.of(table, found, told.values)
    drafts = states.drafts(parts, found)
    guessed = tuple(guesses.of(table, found, told.columns))
    files = {
        "matrix.yaml": document.text(table, found, drafts, guessed),
        "matrix.schema.json": schema,
        **dict(queries.files(table, found, drafts, parts)),
    }
    return Pack(files, guessed, tuple(draft.name for draft in drafts))
