"""`aps doctor` on a test's database, as a program reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support import cli
from tests.support.database import Database

Checks = dict[str, dict[str, Any]]


def examined(
    database: Database, role: str, *words: str, env: Mapping[str, str] = cli.NOTHING
) -> tuple[int, Checks]:
    """The exit code and the checks by name."""
    return by_dsn(database.dsn(role), *words, env=env)


def by_dsn(dsn: str, *words: str, env: Mapping[str, str] = cli.NOTHING) -> tuple[int, Checks]:
    said = cli.call("doctor", *words, "--format", "json", "--dsn", dsn, env=env)
    assert said.stderr == "", said
    found = json.loads(said.stdout)
    assert found["exit_code"] == said.code
    return said.code, {check["name"]: check for check in found["checks"]}


def verdicts(checks: Checks, *but: str) -> set[str]:
    """Of all checks but these, those that have something to say."""
    told = {check["verdict"] for name, check in checks.items() if name not in but}
    return told - {"ok", "not_asked"}
