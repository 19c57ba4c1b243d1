"""`aps matrix new`: a commented pack for a table, every guess marked."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aps.commands import console, options
from aps.commands.matrix.schema import text as schema_text
from aps.commands.options import Reach
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.scaffold import Meant, Pack, Table


def new(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
    table: Annotated[
        str,
        typer.Option(
            "--table", metavar="[SCHEMA.]TABLE", help="The table whose rows are the jobs."
        ),
    ],
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="COLUMN", help="Without a primary key: a unique index's. Repeatable."
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            "--value",
            metavar="VALUE=MEANING[:STATE]",
            help="What a value means (ready, running, done, failed, other), and its state's name. Repeatable.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ROLE=COLUMN",
            help="Which column is the state, worker, lease, heartbeat, ...; or none. Repeatable.",
        ),
    ] = None,
    dsn: options.Dsn = None,
    timeout: options.Timeout = "30s",
    demo: options.Demo = False,
    show_sql: options.ShowSql = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a pack for a table, made from its columns and read only; what was guessed is marked as a guess."""
    from aps import scaffold

    place = Path(folder)
    _free(folder, place)
    told = scaffold.Told(_meant(value), options.pairs("--column", column))
    reach = Reach(dsn=dsn, demo=demo, show_sql=show_sql, timeout=timeout)
    with options.sessions("matrix/new", reach)() as session, session.look():
        found = scaffold.read(session, table, tuple(key or ()), told.columns.get("state"))
    made = scaffold.write(found, schema_text(), told)
    _loads(found, made)
    _written(folder, place, made.files)
    console.out("\n".join(_told(folder, found, made)))
    if not quiet:
        named = Reach(dsn=dsn, pack=_named(folder), demo=demo)
        console.out(f"\nnext:  aps matrix check {options.suffix(named)}")


def _meant(given: list[str] | None) -> dict[str, Meant]:
    from aps.scaffold import SORTS, Meant

    found: dict[str, Meant] = {}
    for value, said in options.pairs("--value", given).items():
        meaning, _, name = said.partition(":")
        sort = next((one for one in SORTS if one == meaning), None)
        if sort is None:
            raise Usage(f"--value {value}={said}: write one of {', '.join(SORTS)}")
        if name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise Usage(
                f"--value {value}={said}: a state's name is lower-case letters, digits and _"
            )
        found[value] = Meant(sort, name or None)
    return found


def _free(given: str, folder: Path) -> None:
    """Raises Usage for a folder that holds anything: nothing of a person is ever written over."""
    try:
        if not given or (folder.exists() and not folder.is_dir()):
            raise Usage(f"{given!r} is no folder; name a new one")
        if folder.is_dir() and any(folder.iterdir()):
            raise Usage(f"{given} is not empty, and nothing is written over; name a new folder")
    except (OSError, ValueError) as error:
        raise Usage(f"{given}: {_reason(error)}") from error


def _loads(table: Table, made: Pack) -> None:
    """Raises Usage where the format cannot say what the table is called."""
    from aps import matrix

    with tempfile.TemporaryDirectory(prefix="aps-matrix-new-") as aside:
        _files(Path(aside), made.files)
        faults = matrix.faults(Path(aside))
    if faults:
        told = faults[0].text
        if told.startswith("table:"):
            told = "its name holds a dot or a quote, which the format cannot say; rename it"
        raise Usage(f"no matrix can be written for table {table.name}: {told}")


def _written(given: str, folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _files(folder, files)
    except OSError as error:
        raise Usage(f"{given}: {_reason(error)}") from error


def _files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as written:
            written.write(text)


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _told(folder: str, table: Table, made: Pack) -> Iterable[str]:
    from aps.render import visible

    keys = ", ".join(column.name for column in table.key)
    yield visible.text(
        f"wrote {folder}: a pack for table {table.name} by {keys}, {len(made.files)} files"
    )
    yield visible.text(f"states: {', '.join(made.states)}")
    yield ""
    yield "guessed, each marked in matrix.yaml:"
    for guess in made.guesses:
        yield visible.text(f"  {guess.about}: {guess.what}; check: {guess.check}")
    yield "  owner: nobody yet; write the team that answers for these jobs"


def _named(folder: str) -> str:
    """A name of a shipped pack would mean that one."""
    from aps import packs

    return f"./{folder}" if folder in packs.known() else folder
