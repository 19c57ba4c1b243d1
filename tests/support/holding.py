"""A worker process: `holding.py DSN`. It sends one statement, says what came back, and works until it is killed."""

from __future__ import annotations

import json
import sys

import psycopg
from psycopg.rows import dict_row


def main(dsn: str) -> None:
    text, bound = json.loads(sys.stdin.readline())
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as connection:
        answer = connection.execute(text.encode(), bound).fetchone()
        print(json.dumps(answer, default=str), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
