"""`python -m tests.unit.store_mover ROOT NAME CONTENT`: one quarantine, one line."""

from __future__ import annotations

import sys

from aps import store
from tests.unit.store_folders import expected


def main(root: str, name: str, content: str) -> None:
    try:
        moved = store.open(root).quarantine(name, "op", expected(content.encode()))
        print("already" if moved.already else "moved")
    except store.NotMoved as error:
        print(f"{error.outcome}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
