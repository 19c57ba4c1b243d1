"""One SQL file, scanned as the server and the driver would: statements, words, parameters."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aps.matrix.faults import Fault

_TOKEN = re.compile(
    r"""(?xs)
      (?P<comment> --[^\n]* )
    | (?P<block> /\* )
    | (?P<quoted> [eE]'(?:[^'\\]|\\.|'')*' | '[^']*(?:''[^']*)*' | "[^"]*(?:""[^"]*)*" )
    | (?P<dollar> \$(?:[^\W\d]\w*)?\$ ) .*? (?P=dollar)
    | (?P<open> ['"] | \$(?:[^\W\d]\w*)?\$ )
    | (?P<parameter> %\([^)]*\)s | %% )
    | (?P<word> [^\W\d][\w$]* )
    | (?P<number> \d[\w.]* )
    | (?P<mark> \S )
    """
)
_BLOCK = re.compile(r"/\*|\*/")
_PERCENT = re.compile(r"%(?:%|\((?P<name>[^)]*)\)(?P<format>.?)|(?P<other>.?))", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

READS = frozenset({"select", "with", "values"})
WRITES = frozenset({"insert", "update", "delete", "merge"})


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class SqlFile:
    """`parameters` maps each name to the line that first uses it."""

    file: str
    text: str
    tokens: tuple[Token, ...]
    parameters: Mapping[str, int]
    percent_faults: tuple[Fault, ...]

    @property
    def code(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.kind != "comment")

    @property
    def statement(self) -> str:
        """The text without its closing semicolon, a whole line, so that it fits inside another."""
        end = next((token.start for token in self.code if token.text == ";"), len(self.text))
        return f"{self.text[:end]}{self.text[end + 1 :]}".rstrip() + "\n"

    def words(self) -> list[tuple[str, Token]]:
        """Key words and plain names in lower case; `a.update` is a column, so it is left out."""
        found = []
        before = ""
        for token in self.code:
            if token.kind == "word" and before != ".":
                found.append((token.text.lower(), token))
            before = token.text
        return found

    def fault(self, at: int, text: str) -> Fault:
        return Fault(self.file, self.text.count("\n", 0, at) + 1, None, text)


def scan(file: str, text: str) -> SqlFile:
    parameters: dict[str, int] = {}
    faults = []
    ends = [match.start() for match in re.finditer("\n", text)]
    # The driver reads placeholders in comments and in literals too, so they count here as well.
    for match in _PERCENT.finditer(text):
        line = bisect.bisect_left(ends, match.start()) + 1
        wrong = _wrong_percent(match)
        if wrong:
            faults.append(Fault(file, line, None, wrong))
        elif match["name"] is not None:
            parameters.setdefault(match["name"], line)
    return SqlFile(file, text, tuple(_tokens(text)), parameters, tuple(faults))


def _wrong_percent(match: re.Match[str]) -> str | None:
    name = match["name"]
    if match[0] == "%%":
        return None
    if name is None:
        if match["other"] in ("s", "b", "t"):
            return f"{match[0]} is positional; name the parameter: %(name)s"
        return "a lone % (comments and quotes count too); write %%"
    if not _NAME.fullmatch(name):
        return f"%({name})s is no name of a parameter; use letters, digits and _"
    if match["format"] != "s":
        return f"%({name}) needs an s after it: %({name})s"
    return None


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while match := _TOKEN.search(text, at):
        kind = match.lastgroup or "mark"
        at = match.end()
        if kind == "block":
            kind, at = ("comment", end) if (end := _block_end(text, at)) else ("open", len(text))
        elif kind == "open":
            at = len(text)
        yield Token(kind, text[match.start() : at], match.start())


def _block_end(text: str, at: int) -> int | None:
    depth = 1
    while match := _BLOCK.search(text, at):
        depth += 1 if match[0] == "/*" else -1
        at = match.end()
        if not depth:
            return at
    return None


def faults(sql: SqlFile) -> Iterator[Fault]:
    """What is wrong with any query that aps sends, whatever it is for."""
    yield from sql.percent_faults
    if not sql.tokens or sql.tokens[0].kind != "comment":
        yield sql.fault(0, "begins without a comment; say there what the query returns")
    opened = next((token for token in sql.tokens if token.kind == "open"), None)
    if opened:
        yield sql.fault(opened.start, f"{opened.text[:2].strip()} is opened here and never closed")
        return
    statement = [token for token in sql.code if token.text != ";"]
    if not statement:
        yield sql.fault(0, "holds no statement")
        return
    ends = [token.start for token in sql.code if token.text == ";"]
    if ends and (len(ends) > 1 or statement[-1].start > ends[0]):
        after = next(token for token in sql.code if token.start > ends[0])
        yield sql.fault(after.start, "a second statement; one file holds one statement")
    yield from _unbalanced(sql)


def _unbalanced(sql: SqlFile) -> Iterator[Fault]:
    opened: list[Token] = []
    for token in sql.code:
        if token.text == "(":
            opened.append(token)
        elif token.text == ")" and not opened:
            yield sql.fault(token.start, "a ) that nothing opens")
            return
        elif token.text == ")":
            opened.pop()
    if opened:
        yield sql.fault(opened[-1].start, "this ( is never closed")


def read_faults(sql: SqlFile) -> Iterator[Fault]:
    """What is wrong with a query that must only read."""
    words = sql.words()
    if words and words[0][0] not in READS:
        yield sql.fault(words[0][1].start, "does not read; begin with SELECT, WITH or VALUES")
        return
    before = ""
    for word, token in words:
        if word in ("update", "share") and before in ("for", "key"):
            yield sql.fault(token.start, "takes row locks; remove the FOR clause, aps locks")
        elif word in WRITES or word == "into":
            yield sql.fault(
                token.start, f"writes ({word.upper()}); it may only read (a name? quote it)"
            )
            return
        before = word


def write_faults(sql: SqlFile) -> Iterator[Fault]:
    """What is wrong with the query of an action or of its undo."""
    words = sql.words()
    if not words:
        return
    first, token = words[0]
    if first not in READS | WRITES:
        yield sql.fault(token.start, f"{first.upper()} is no action; use one statement that writes")
    found = {word for word, _ in words}
    if found & WRITES and "returning" not in found:
        yield sql.fault(token.start, "returns nothing; end with RETURNING and the key columns")
