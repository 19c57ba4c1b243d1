"""A file of `--output` that is written at the end of something long: a new one, and whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from aps.errors import Usage


def check(file: Path) -> None:
    """Raises Usage, before anything is done, where `write` could not make it."""
    try:
        os.lstat(file)
    except FileNotFoundError:
        if not file.parent.is_dir():
            raise Usage(f"--output {file}: there is no folder {file.parent}") from None
    except OSError as error:
        raise _refused(file, error) from error
    else:
        raise _exists(file)
    try:
        with _aside(file) as whole, _aside(file) as other:
            os.unlink(other)
            os.link(whole, other)
    except OSError as error:
        raise _refused(file, error) from error


def write(file: Path, text: str) -> None:
    """Under another name first; its own it gets once it is whole on disk. Raises Usage."""
    try:
        with _aside(file) as whole:
            with whole.open("w", encoding="utf-8") as opened:
                opened.write(text)
                opened.flush()
                os.fsync(opened.fileno())
            # A link is never made over what is there, not even over a link that leads nowhere.
            os.link(whole, file)
    except FileExistsError as error:
        raise _exists(file) from error
    except OSError as error:
        raise _refused(file, error) from error


@contextmanager
def _aside(file: Path) -> Iterator[Path]:
    """A new, empty file beside it, gone at the end."""
    path = file.with_name(f".aps-{uuid4().hex}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    try:
        yield path
    finally:
        os.unlink(path)


def _exists(file: Path) -> Usage:
    return Usage(f"--output {file}: there is a file already; name a new one")


def _refused(file: Path, error: OSError) -> Usage:
    return Usage(f"--output {file}: {(error.strerror or '').lower()}")
