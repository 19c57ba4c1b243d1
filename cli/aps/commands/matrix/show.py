"""`aps matrix show`: the whole matrix on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aps.commands import console, options
from aps.commands.options import Reach

if TYPE_CHECKING:
    from aps.model.runbook import Runbook


def show(
    pack: options.Pack = "aps",
    schema: options.Schema = None,
    parameters: options.Set = None,
    format: options.FormatOption = "table",
    quiet: options.Quiet = False,
) -> None:
    """Show every state with its action and owner, what fences the queue, and what is absent. Needs no database."""
    reach = Reach(pack=pack, schema=schema, parameters=tuple(parameters or ()))
    book = runbook(reach)
    from aps.render import runbook as render

    view = console.view(quiet=quiet, suffix=options.suffix(reach))
    console.out(render.show(book, format, view))


def runbook(reach: Reach) -> Runbook:
    """The matrix of that pack as a runbook, from its files alone. Raises ApsError."""
    from aps import matrix, packs
    from aps.matrix import runbook as made

    loaded = matrix.load(packs.find(reach.pack), options.pairs("--set", reach.parameters))
    if reach.schema is not None:
        loaded = options.in_schema(loaded, reach.schema)
    return made.of(loaded, options.suffix(reach))
