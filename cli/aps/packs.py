"""Where packs live: the one of this repository, the shipped ones by name, or any folder."""

from __future__ import annotations

from pathlib import Path

from aps.errors import Usage

_PACKAGE = Path(__file__).resolve().parent
_BUNDLED = _PACKAGE / "data"
_CHECKOUT = _PACKAGE.parents[1]
# A wheel carries its packs inside the package; a checkout or an editable install has them beside.
HOME = _BUNDLED if _BUNDLED.is_dir() else _CHECKOUT
DEFAULT = "aps"
FILE = "matrix.yaml"


def known() -> tuple[str, ...]:
    """The names that `find` takes, the default first."""
    shipped = sorted(path.parent.name for path in HOME.glob(f"packs/*/{FILE}"))
    return (DEFAULT, *shipped)


def find(name_or_folder: str) -> Path:
    """The folder of a pack. Raises Usage where there is none; a shipped name wins over a folder."""
    if name_or_folder == DEFAULT:
        return HOME
    if name_or_folder in known():
        return HOME / "packs" / name_or_folder
    folder = Path(name_or_folder)
    try:
        if name_or_folder and (folder / FILE).is_file():
            return folder.resolve()
        raise Usage(_not_found(name_or_folder, folder))
    except OSError as error:
        # A folder that may not be entered, a name longer than any.
        raise Usage(f"pack {name_or_folder[:80]!r}: {(error.strerror or '').lower()}") from error


def name(pack: Path) -> str:
    """What a pack is called in output."""
    folder = pack.resolve()
    return DEFAULT if folder == HOME.resolve() else folder.name


def _not_found(asked: str, folder: Path) -> str:
    why = f"no {FILE} in it" if asked and folder.is_dir() else "no such pack"
    return f"pack {asked!r}: {why}; known packs are {', '.join(known())}, or name a folder"
