"""`python -m aps`: the command line."""

from __future__ import annotations

from aps.main import main

if __name__ == "__main__":
    main()
