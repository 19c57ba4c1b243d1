"""`python -m tests.unit.store_looker ROOT NAME ...`: look names up listed, rehashed, then walk; a line an answer."""

from __future__ import annotations

import os
import sys

from aps import store
from aps.errors import StoreError


def main(root: str, *names: str) -> None:
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    wanted = [os.fsencode(name).decode() for name in names]
    opened = store.open(root)
    try:
        for rehash in (False, True):
            for one in opened.look(wanted, rehash=rehash):
                print("rehashed" if rehash else "listed", one.name, one.size, one.error)
        for seen in opened.walk():
            if isinstance(seen, store.Observation):
                print("walked", seen.name, seen.size, seen.error)
    except StoreError as error:
        print("StoreError", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
