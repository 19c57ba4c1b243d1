"""The identity object of a store: which store it is, and the one database that it is bound to.

It is written under its final name, exclusively, and is damaged if that is interrupted: said so, and never taken for
unbound. A binding that is replaced is replaced whole.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from typing import Final

from aps.errors import StoreError
from aps.model.report import Identity
from aps.store import folders
from aps.store.model import Binding
from aps.store.names import IDENTITY_NAME

_VERSION: Final = 1
_LARGEST: Final = 1 << 16
_NAME: Final = IDENTITY_NAME.encode()
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OF_DATABASE: Final = ("system_identifier", "timeline", "database_oid")


def read(root: int, where: str) -> tuple[Binding, tuple[int, int]] | None:
    """The binding and the inode that it was read from; None where there is none. Raises StoreError."""
    try:
        with folders.reading(root, _NAME) as (file, seen):
            content = os.read(file, _LARGEST)
    except folders.Absent:
        return None
    except folders.Obstacle as obstacle:
        raise StoreError(f"store {where}: {IDENTITY_NAME} cannot be read: {obstacle}") from None
    except OSError as error:
        said = folders.reason(error)
        raise StoreError(f"store {where}: {IDENTITY_NAME} cannot be read: {said}") from error
    return _parse(content, where), folders.inode(seen)


def _parse(content: bytes, where: str) -> Binding:
    try:
        held = json.loads(content)
        version = held["aps_store"]
        if version == _VERSION:
            database = Identity(*(_text(held["database"][key]) for key in _OF_DATABASE))
            return Binding(_text(held["store_id"]), database)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StoreError(
            f"store {where}: {IDENTITY_NAME} is damaged ({len(content)} bytes); "
            "make sure which store this is, then bind it again"
        ) from None
    raise StoreError(f"store {where}: {IDENTITY_NAME} is of version {version}; use a newer aps")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def write(root: int, binding: Binding, where: str) -> None:
    """Raises StoreError where one stands already, or where it cannot be made safe on disk; then none is left."""
    try:
        _write(root, _NAME, binding)
        folders.sync(root)
    except FileExistsError:
        raise StoreError(
            f"store {where}: {IDENTITY_NAME} was written by another just now"
        ) from None
    except OSError as error:
        raise _unwritten(where, error) from error


def replace(root: int, binding: Binding, where: str) -> None:
    """Whatever stands there, afterwards it is this one: the old or the new, at any moment. Raises StoreError."""
    half = _NAME + b"." + secrets.token_hex(8).encode()
    try:
        _write(root, half, binding)
        try:
            os.rename(half, _NAME, src_dir_fd=root, dst_dir_fd=root)
        except OSError:
            os.unlink(half, dir_fd=root)
            raise
        folders.sync(root)
    except OSError as error:
        raise _unwritten(where, error) from error


def _unwritten(where: str, error: OSError) -> StoreError:
    said = folders.reason(error)
    return StoreError(f"store {where}: {IDENTITY_NAME} could not be written: {said}")


def _write(root: int, name: bytes, binding: Binding) -> None:
    file = os.open(name, _NEW, 0o666, dir_fd=root)
    try:
        content = memoryview(_json(binding))
        while content:
            content = content[os.write(file, content) :]
        os.fsync(file)
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=root)
        raise
    finally:
        os.close(file)


def _json(binding: Binding) -> bytes:
    database = {key: getattr(binding.database, key) for key in _OF_DATABASE}
    held = {"aps_store": _VERSION, "store_id": binding.store_id, "database": database}
    return json.dumps(held, indent=2).encode() + b"\n"
