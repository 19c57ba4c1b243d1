"""The options that commands share, and how a command reaches its matrix and its database."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from aps.commands import console
from aps.errors import Refused, Usage

if TYPE_CHECKING:
    from aps.database import Database
    from aps.model.matrix import Matrix


Format = Literal["table", "json", "jsonl", "csv", "markdown"]
Session = Callable[[], "Database"]


def whole(option: str, least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers, whose sentence does not depend on the version of the option parser."""

    def parse(given: str) -> int:
        text = str(given).strip()
        if not text.isascii() or not text.isdecimal() or not least <= int(text[:20]) <= most:
            raise Usage(f"{option} {given}: write a whole number from {least} to {most}")
        return int(text)

    return parse


def _format(given: str) -> str:
    if given not in get_args(Format):
        raise Usage(f"--format {given}: write one of {', '.join(get_args(Format))}")
    return given


Dsn = Annotated[
    str | None,
    typer.Option(
        "--dsn",
        metavar="CONNINFO",
        envvar="APS_DSN",
        help="Connection string; else libpq's own variables and service file.",
    ),
]
Pack = Annotated[
    str,
    typer.Option("--pack", metavar="PACK", envvar="APS_PACK", help="A pack's name or folder."),
]
Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="NAME", help="The schema of the queue's tables."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the matrix. Repeatable."),
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", metavar="|".join(get_args(Format)), parser=_format, help="How to print."
    ),
]
Demo = Annotated[bool, typer.Option("--demo", help="Use the queue that `aps demo` started.")]
ShowSql = Annotated[
    bool, typer.Option("--show-sql", help="Print every statement to stderr before it runs.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no hints, only data.")]
Timeout = Annotated[
    str,
    typer.Option("--timeout", metavar="TIME", help="Longest run of one statement, such as 30s."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="COLUMN=VALUE", help="Only jobs with this evidence, exactly. Repeatable."
    ),
]


@dataclass(frozen=True, slots=True)
class Reach:
    """How a command reaches its queue, as its options say."""

    dsn: str | None = None
    pack: str = "aps"
    schema: str | None = None
    parameters: tuple[str, ...] = ()
    demo: bool = False
    show_sql: bool = False
    timeout: str = "30s"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a command works.

    `suffix` is what a printed command needs to reach the same queue, `place` its part that names the database.
    """

    matrix: Matrix
    session: Session
    suffix: str
    place: str


# Nobody waits half an hour for a demo: its files are judged at once.
_DEMO = {"orphan_grace": "0 s", "materialization_grace": "0 s"}


def target(command: str, reach: Reach, *, pinned: bool = True) -> Target:
    """Load the matrix and prepare sessions; not `pinned`: whatever APS_PACK_SHA256 says. Raises ApsError."""
    from aps import matrix, packs

    given = dict(pairs("--set", reach.parameters))
    if reach.demo and reach.pack == "aps":
        given = _DEMO | given
    loaded = matrix.load(packs.find(reach.pack), given)
    if pinned:
        _pinned(loaded.sha256)
    if reach.schema is not None:
        loaded = in_schema(loaded, reach.schema)
    return Target(loaded, sessions(command, reach, loaded.schema), suffix(reach), place(reach))


def sessions(command: str, reach: Reach, search_path: str | None = None) -> Session:
    """Opens a session of that name each time; the database is the one of the options."""
    from aps import database

    dsn = _dsn(reach)
    statement = _milliseconds("--timeout", reach.timeout)

    def connect() -> Database:
        return database.connect(
            dsn,
            application=f"aps/{command}",
            limits=database.Limits(statement, lock=max(1, min(_LOCK_MILLISECONDS, statement // 2))),
            search_path=_quoted(search_path or "public"),
            show=console.say if reach.show_sql else None,
        )

    return connect


def _dsn(reach: Reach) -> str | None:
    """Raises Usage where the command line names two databases; the environment may name another than the demo's."""
    if not reach.demo:
        return reach.dsn
    if reach.dsn is not None and reach.dsn != os.environ.get("APS_DSN"):
        raise Usage("--demo and --dsn name two databases; give one of them")
    from aps.demo import control

    return control.dsn()


def suffix(reach: Reach) -> str:
    """The options to repeat, so that a pasted command reaches the same queue; what is secret is never repeated."""
    without = os.environ.get("APS_PACK") or "aps"
    words = [f"--pack {shlex.quote(reach.pack)}"] if reach.pack != without else []
    words += [f"--schema {shlex.quote(reach.schema)}"] if reach.schema else []
    words += [f"--set {shlex.quote(pair)}" for pair in reach.parameters]
    return " ".join([*words, place(reach)]).strip()


def place(reach: Reach) -> str:
    """The option that names the same database, without its secrets; nothing where the environment names it."""
    if reach.demo:
        return "--demo"
    if not reach.dsn or reach.dsn == os.environ.get("APS_DSN"):
        return ""
    from aps.database import without_secrets

    return f"--dsn {shlex.quote(without_secrets(reach.dsn))}"


def in_schema(loaded: Matrix, schema: str) -> Matrix:
    """The matrix over the tables of that schema. Raises Usage where its own SQL names the schema."""
    if "." in loaded.table:
        raise Usage(f"--schema {schema}: this matrix names its schema itself ({loaded.table})")
    if not schema or "." in schema:
        raise Usage(f"--schema {schema!r}: name one schema")
    return replace(loaded, schema=schema, table=f"{schema}.{loaded.table}")


def _quoted(schema: str) -> str:
    return '"' + schema.replace('"', '""') + '"'


def _pinned(sha256: str) -> None:
    pinned = os.environ.get("APS_PACK_SHA256", "").strip().lower()
    if pinned and not (len(pinned) >= 8 and sha256.startswith(pinned)):
        raise Refused(
            f"the pack has sha256 {sha256}, not the one that APS_PACK_SHA256 pins ({pinned})"
        )


def pairs(option: str, given: Sequence[str] | None) -> Mapping[str, str]:
    """NAME=VALUE words to a mapping. Raises Usage for one without `=` and for a name given twice."""
    found: dict[str, str] = {}
    for word in given or ():
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise Usage(f"{option} {word}: write NAME=VALUE")
        if name in found:
            raise Usage(f"{option} {name}: given twice")
        found[name] = value
    return found


def duration(option: str, text: str) -> timedelta:
    """`30s`, `15 min`, `2h`, `7d`. Raises Usage."""
    from aps.model import duration

    try:
        length = duration.parse(text.strip())
    except ValueError as error:
        raise Usage(f"{option}: {error}") from error
    if not length:
        raise Usage(f"{option} {text}: longer than nothing, please: {duration.EXPECTED}")
    return length


# Nobody is waited for longer, so that the lock is what is told, and not the statement's own limit.
_LOCK_MILLISECONDS = 2_000
# PostgreSQL holds a timeout in 31 bits; 0 would mean none at all.
_LONGEST_TIMEOUT = timedelta(days=24)


def _milliseconds(option: str, text: str) -> int:
    length = duration(option, text)
    if length > _LONGEST_TIMEOUT:
        raise Usage(f"{option} {text}: more than {_LONGEST_TIMEOUT.days} days")
    return max(1, round(length.total_seconds() * 1000))


def spoken(length: timedelta) -> str:
    """The length as `duration` reads it."""
    for unit in ("days", "hours", "minutes", "seconds"):
        if not length % timedelta(**{unit: 1}):
            return f"{length // timedelta(**{unit: 1})}{unit[:3] if unit == 'minutes' else unit[0]}"
    return f"{length / timedelta(milliseconds=1):.3f}ms"
