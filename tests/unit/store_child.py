"""`python -m tests.unit.store_child ROOT quarantine|restore NAME OPERATION SIZE DIGEST`: one move, a line a step."""

from __future__ import annotations

import os
import sys

from aps.store import Expected, LocalStore, NotMoved


def pause(step: str) -> None:
    print(f"step {step}", flush=True)
    sys.stdin.readline()


def main(root: str, verb: str, name: str, operation: str, size: str, digest: str) -> None:
    store = LocalStore(os.fsencode(root), pause)
    move = store.quarantine if verb == "quarantine" else store.restore
    try:
        moved = move(name, operation, Expected(int(size), digest))
    except NotMoved as error:
        print(f"{error.outcome}: {error}", flush=True)
    else:
        print("already" if moved.already else "moved", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
