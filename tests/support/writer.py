"""`python writer.py FILE STEP`: a worker that writes its file for ever, STEP bytes at a time; it says when it began."""

from __future__ import annotations

import os
import sys
import time

if __name__ == "__main__":
    with open(sys.argv[1], "wb", buffering=0) as file:
        for number in range(1, 1_000_000):
            file.write(os.urandom(int(sys.argv[2])))
            if number == 3:
                print("writing", flush=True)
            if number > 3:
                time.sleep(0.001)
