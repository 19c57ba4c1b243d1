"""What a statement of a pack needs a right to, read from its text: only the names, the catalogue decides what they are.

The server names one missing right at a time; this finds the others. Whether a statement may run is the server's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aps.matrix import sql
from aps.matrix.sql import Token

_END = frozenset({"where", "from", "returning"})
_NO_NAME = frozenset({"only", "lateral", "select", "with", "values", "set", "as", "default"})


@dataclass(frozen=True, slots=True)
class Need:
    """A privilege on a relation, or on one of its columns. Without a schema it is found by the search path."""

    schema: str | None
    relation: str
    privilege: str
    column: str | None = None


def of(text: str) -> set[Need]:
    """Names that are no relation (aliases, columns, common table expressions) are among them."""
    return set(_Reader(sql.scan("", text).code).needs())


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens

    def needs(self) -> Iterator[Need]:
        before, inserted = "", None
        for at, token in enumerate(self._tokens):
            word = token.text.lower() if token.kind == "word" else token.text
            if word in ("from", "join", "using", ",") or before == "update":
                yield from self._reads(at + (before != "update"))
            elif _is_name(token) and self._text(at + 1) == "." and self._text(at - 1) != ".":
                yield from self._reads(at)
            if word == "into" and before in ("insert", "merge"):
                inserted = self._name(at + 1)[0]
                yield from self._inserts(at + 1, before)
            elif word == "from" and before == "delete":
                yield from self._whole(at + 1, "DELETE")
            elif word == "update" and before == "do" and inserted:
                yield from self._columns(self._after_set(at + 1), inserted)
            elif word == "update" and before not in ("for", "key"):
                yield from self._updates(at + 1)
            before = word

    def _reads(self, at: int) -> Iterator[Need]:
        yield from self._whole(at, "SELECT")

    def _whole(self, at: int, privilege: str) -> Iterator[Need]:
        name, _ = self._name(at)
        if name:
            yield Need(*name, privilege)

    def _updates(self, at: int) -> Iterator[Need]:
        name, _ = self._name(at)
        if name:
            yield from self._columns(self._after_set(at), name)

    def _inserts(self, at: int, how: str) -> Iterator[Need]:
        name, at = self._name(at)
        if name is None:
            return
        if how == "merge" or self._text(at) != "(" or self._text(at + 1) in ("select", "with"):
            yield Need(*name, "INSERT")
            return
        while self._text(at) not in (")", "") and self._text(at + 1):
            yield Need(*name, "INSERT", _plain(self._tokens[at + 1]))
            at += 2

    def _columns(self, at: int, name: tuple[str | None, str]) -> Iterator[Need]:
        """What stands left of the `=` signs of a SET."""
        depth, left = 0, True
        while (word := self._text(at)) and not (depth == 0 and word in _END) and depth >= 0:
            token = self._tokens[at]
            if left and _is_name(token):
                yield Need(*name, "UPDATE", _plain(token))
            if word == "=" and depth == 0:
                left = False
            elif word == "," and depth == 0:
                left = True
            depth += {"(": 1, ")": -1}.get(word, 0)
            at += 1

    def _after_set(self, at: int) -> int:
        while self._text(at) not in ("set", ""):
            at += 1
        return at + 1

    def _name(self, at: int) -> tuple[tuple[str | None, str] | None, int]:
        """The one or two names there, and where they end."""
        while self._text(at) in ("only", "lateral"):
            at += 1
        if not (self._text(at) and _is_name(self._tokens[at])) or self._text(at) in _NO_NAME:
            return None, at
        first = _plain(self._tokens[at])
        if self._text(at + 1) == "." and self._text(at + 2) and _is_name(self._tokens[at + 2]):
            return (first, _plain(self._tokens[at + 2])), at + 3
        return (None, first), at + 1

    def _text(self, at: int) -> str:
        if not 0 <= at < len(self._tokens):
            return ""
        token = self._tokens[at]
        return token.text.lower() if token.kind == "word" else token.text


def _is_name(token: Token) -> bool:
    return token.kind == "word" or (token.kind == "quoted" and token.text.startswith('"'))


def _plain(token: Token) -> str:
    """As the catalogue has it."""
    if token.kind == "word":
        return token.text.lower()
    return token.text[1:-1].replace('""', '"').replace("%%", "%")
