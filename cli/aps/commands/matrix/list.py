"""`aps matrix list`: what `--pack` takes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aps.commands import console, options

if TYPE_CHECKING:
    from aps.model.listed import ListedPack


def known(format: options.FormatOption = "table", quiet: options.Quiet = False) -> None:
    """List the packs that come with aps; one with faults is listed as such. Needs no database."""
    from aps import packs
    from aps.model.listed import FORMAT_VERSION, Listed
    from aps.render import listed

    found = Listed(FORMAT_VERSION, tuple(map(_pack, packs.known())))
    console.out(listed.text(found, format, console.view(quiet=quiet)))


def _pack(name: str) -> ListedPack:
    from aps import matrix, packs
    from aps.errors import MatrixError
    from aps.model.listed import ListedPack

    folder = packs.find(name)
    try:
        faults = matrix.faults(folder)
        if not faults:
            one = matrix.load(folder)
            counted = len(one.states)
            return ListedPack(
                name, str(folder), one.system, one.table, counted, one.fencing, one.sha256, 0, None
            )
        sha256 = matrix.sha256(folder)
        told = str(faults[0])
        return ListedPack(name, str(folder), None, None, None, None, sha256, len(faults), told)
    except MatrixError as error:
        first = str(error).partition("\n")[0]
        return ListedPack(name, str(folder), None, None, None, None, None, 1, first)
