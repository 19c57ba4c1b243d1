"""`aps drill`: the rehearsal of the reference queue and of aps itself, on a PostgreSQL of one's choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from aps.commands import console, newfile, options, progress
from aps.exits import Exit

if TYPE_CHECKING:
    from aps.drill.heard import Begun
    from aps.drill.hearing import Hearing
    from aps.model.drill import Rehearsal
    from aps.render import View


def drill(
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", metavar="N", help="Only the group or trial of that number. Repeatable."
        ),
    ] = None,
    postgres_prefix: Annotated[
        Path | None,
        typer.Option(
            "--postgres-prefix",
            metavar="DIR",
            help="The PostgreSQL installed in that folder, which has bin/postgres; else the one of the demo.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Write the whole report, as JSON, to a new file."
        ),
    ] = None,
    pack: options.Pack = "aps",
    format: options.FormatOption = "table",
    quiet: options.Quiet = False,
) -> None:
    """Rehearse the reference queue, and aps, on a private PostgreSQL with real workers: crashes, races, lost storage.

    Nothing of it reaches another database, and nothing is left of it.
    """
    if output:
        newfile.check(output)
    from aps import packs, render
    from aps.drill import control
    from aps.drill.hearing import Hearing

    asked = control.Asked(packs.find(pack), postgres_prefix, tuple(group or ()))
    view = console.view(quiet=quiet)
    screen = Screen(progress.shown(quiet=quiet), view, blocks=format == "table")
    hearing = Hearing(asked.groups, screen)
    try:
        control.run(asked, hearing)
    except KeyboardInterrupt:
        screen.shown.clear()
        _interrupted(hearing, view, table=format == "table")
    finally:
        screen.shown.clear()
        if hearing.words and not hearing.done:
            console.say("\n".join(hearing.words))
    done = hearing.drill()
    try:
        if output:
            newfile.write(output, f"{render.drill(done, 'json', view)}\n")
    finally:
        console.out(render.drill(done, format, view))
    console.leave(done.exit_code)


class Screen:
    """Who sits before it: sees how far it is, and in the format for people each rehearsal as it ends."""

    def __init__(self, shown: progress.Shown, view: View, *, blocks: bool) -> None:
        self.shown = shown
        self._view = view
        self._blocks = blocks
        self._where = ""

    def step(self, sentence: str) -> None:
        self.shown.show(f"{self._where}{sentence} ...")

    def begun(self, begun: Begun) -> None:
        self._where = f"{begun.place} of {begun.total}: "
        self.shown.show(f"{self._where}{begun.title}")

    def ended(self, rehearsal: Rehearsal) -> None:
        from aps.render import drilled

        self.shown.clear()
        if self._blocks:
            console.out(f"{drilled.rehearsal(rehearsal, self._view)}\n\n")


def _interrupted(hearing: Hearing, view: View, *, table: bool) -> NoReturn:
    from aps.render import drilled

    if table and hearing.rehearsals:
        console.out(drilled.table(hearing.rehearsals, view))
    many = f"{len(hearing.rehearsals)} of {hearing.total}" if hearing.total else "none"
    left = hearing.home and hearing.home.exists()
    rest = f"{hearing.home} is still there" if left else "nothing of it is left"
    console.say(f"interrupted: {many} rehearsed; {rest}")
    console.leave(Exit.INTERRUPTED)
