"""A pack made from a table: its columns are read, their roles guessed, and every guess is told beside its effect."""

from __future__ import annotations

from aps.scaffold.classes import SORTS, Meant
from aps.scaffold.pack import Guess, Pack, Told, write
from aps.scaffold.reading import read
from aps.scaffold.table import Column, Table

__all__ = ["SORTS", "Column", "Guess", "Meant", "Pack", "Table", "Told", "read", "write"]
