"""The public failure cases: their rows, what `aps` says of them as JSON and as text, and what an apply then does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.support import cli
from tests.support.database import Database

ROWS = Path(__file__).parents[1] / "cases" / "rows"
YES = ("--yes", "--reason", "a case")

Told = dict[str, Any]
Image = dict[str, tuple[str, ...]]

_TABLES = ("aps.job", "aps.attempt", "aps.event")


def squeezed(text: str) -> str:
    """Without the line ends and columns of a terminal."""
    return " ".join(text.split())


@dataclass(frozen=True)
class Case:
    """One database with the rows of a case, looked at and acted upon as an operator types it.

    `role` looks and acts; `pack` and `more` (further words, such as `--store`) are added to every command. `via` is a
    connection string where not straight to the database.
    """

    database: Database
    role: str = "aps_operate"
    pack: str = "aps"
    more: tuple[str, ...] = ()
    via: str | None = None

    @classmethod
    def of(cls, database: Database, *names: str, **how: Any) -> Self:
        """With the rows of `tests/cases/rows/NAME.sql`."""
        case = cls(database, **how)
        case.load(*names)
        return case

    def load(self, *names: str) -> None:
        self.run(*((ROWS / f"{name}.sql").read_bytes() for name in names))

    def run(self, *statements: bytes) -> None:
        """Statements in the words of `rows/prelude.sql`, as the superuser, past every worker statement."""
        with psycopg.connect(self.database.dsn("postgres"), autocommit=True) as connection:
            for text in ((ROWS / "prelude.sql").read_bytes(), *statements):
                connection.execute(text)

    def under(self, role: str) -> Self:
        return replace(self, role=role)

    def told(self, *words: str) -> cli.Result:
        """As shown on a wide terminal."""
        # The journal is of no one pack.
        pack = () if words[0] == "log" else ("--pack", self.pack)
        here = (*pack, "--dsn", self.via or self.database.dsn(self.role), *self.more)
        said = cli.call(*words, *here, env={"COLUMNS": "300"})
        assert "Traceback" not in said.stderr, said.stderr
        return said

    def said(self, *words: str) -> str:
        """Both streams of it in one line of text."""
        said = self.told(*words)
        return squeezed(said.stdout + " " + said.stderr)

    def json(self, *words: str) -> Told:
        """The document; its exit code is that of the process."""
        said = self.told(*words, "--format", "json")
        assert said.stdout, said
        told: Told = json.loads(said.stdout)
        # A plan that is only shown has none.
        assert told.get("exit_code", said.code) == said.code
        return told

    def look(self, *jobs: int | str) -> Told:
        return self.json("inspect", *map(str, jobs))

    def job(self, job: int | str) -> Told:
        (one,) = self.json("inspect", str(job))["jobs"]
        found: Told = one
        return found

    def states(self, *jobs: int | str) -> list[str]:
        """The one state of each, in the order given."""
        return [one["state"] for one in self.look(*jobs)["jobs"]]

    def state(self, name: str) -> Told:
        """What the whole look says of one state."""
        (found,) = [one for one in self.look()["states"] if one["state"] == name]
        told: Told = found
        return told

    def preview(self, command: str, *words: str) -> Told:
        return self.json(command, *words)

    def apply(self, command: str, *words: str) -> Told:
        return self.json(command, *words, *YES)

    def refused(self, command: str, *words: str) -> str:
        """An apply that did nothing whatever; what it said."""
        before = self.image()
        said = self.told(command, *words, *YES)
        assert said.code in (20, 25), said
        assert self.image() == before
        return squeezed(said.stdout + " " + said.stderr)

    def image(self, *tables: str) -> Image:
        """Every row of these tables (those of the reference queue, else), with the version of each row."""
        read = "SELECT row_to_json(t)::text || xmin::text FROM {} t ORDER BY t::text"
        return {
            table: tuple(row[0] for row in self.database.execute(read.format(table).encode()))
            for table in tables or _TABLES
        }

    def row(self, job: int) -> tuple[str, str | None, int]:
        """State, worker and epoch."""
        rows = self.database.execute(
            b"SELECT state, worker, epoch FROM aps.job WHERE job_id = %s", [job]
        )
        return rows[0][0], rows[0][1], rows[0][2]

    def ends(self, job: int) -> list[tuple[int, str | None]]:
        """Its attempts by epoch, and how each ended."""
        rows = self.database.execute(
            b"SELECT epoch, ended_as FROM aps.attempt WHERE job_id = %s ORDER BY epoch", [job]
        )
        return [(row[0], row[1]) for row in rows]


def outcomes(told: Told) -> dict[str, str]:
    """Job to outcome."""
    return {row["job"]: row["outcome"] for row in told["rows"]}


def detail(told: Told, job: int) -> str:
    (found,) = [row["detail"] for row in told["rows"] if row["job"] == str(job)]
    return str(found)


def counts(rows: Iterable[Told]) -> dict[str, int]:
    """Jobs of each state that has some."""
    return {one["state"]: one["jobs"] for one in rows if one["jobs"]}
