"""`aps matrix show`, `explain` and `render`: from the files alone, whatever the database does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aps import matrix, packs
from tests.cli.test_startup import loaded
from tests.support import cli
from tests.unit import small_pack

STATES = [state.name for state in matrix.load(packs.HOME).states]


def test_show_tells_every_state_without_a_database() -> None:
    shown = cli.call("matrix", "show", env={"APS_DSN": "host=nowhere.invalid"})
    assert shown.code == 0
    assert shown.stderr == ""
    for state in STATES:
        assert f"\n{state} " in shown.stdout
    for told in (
        "table aps.job by job_id",
        "enforced:",
        "lease:",
        "abandon_limit",
        "export-oncall",
    ):
        assert told in shown.stdout


def test_show_tells_what_a_queue_lacks_and_why(tmp_path: Path) -> None:
    pack = small_pack.write(tmp_path / "small")
    shown = cli.call("matrix", "show", "--pack", str(pack), "--set", "grace=2 min")
    assert shown.code == 0
    assert "absent orphan_candidate" in shown.stdout
    assert "files are shared" in shown.stdout
    assert "2 min (default 90 s)" in shown.stdout


@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "markdown"])
def test_show_and_explain_have_the_formats_of_the_other_commands(format: str) -> None:
    for words in (("show",), ("explain", "adoption")):
        shown = cli.call("matrix", *words, "--format", format)
        assert shown.code == 0
        assert "adoption" in shown.stdout
        assert ("poisoned.sql" in shown.stdout) <= (words == ("show",))
    if format == "json":
        whole = json.loads(shown.stdout)
        assert [page["state"] for page in whole["states"]] == ["adoption"]
        assert whole["states"][0]["not"].startswith("That its worker stopped.")


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_explained_to_the_end(state: str) -> None:
    shown = cli.call("matrix", "explain", state)
    assert shown.code == 0
    for told in ("means", "shown by", f"queries/{state}.sql", "you may", "owner", "SELECT"):
        assert told in shown.stdout


@pytest.mark.parametrize("typed", ["missing artifact", "missing-artifact", "MISSING_ARTIFACT"])
def test_a_state_may_be_typed_as_it_is_read(typed: str) -> None:
    assert cli.call("matrix", "explain", typed).stdout == (
        cli.call("matrix", "explain", "missing_artifact").stdout
    )


def test_an_unknown_state_is_one_sentence_that_names_the_known_ones() -> None:
    cli.refused(
        cli.call("matrix", "explain", "adoptoin"), 2, "did you mean adoption?", "stray_file"
    )
    cli.refused(cli.call("matrix", "explain", "\x1b[2J"), 2, r"\x1b[2J", "there are: ")


def test_an_absent_state_is_explained_by_its_reason(tmp_path: Path) -> None:
    pack = small_pack.write(tmp_path / "small")
    told = cli.call("matrix", "explain", "live_lease", "--pack", str(pack))
    cli.refused(told, 2, "live_lease is no state of exports: see adoption")


def test_printed_commands_reach_the_same_pack(tmp_path: Path) -> None:
    pack = small_pack.write(tmp_path / "my queue")
    shown = cli.call("matrix", "explain", "adoption", "--pack", str(pack), "--schema", "q")
    assert f"aps reclaim JOB --pack '{pack}' --schema q" in shown.stdout
    assert "--attest workers-stopped" in shown.stdout
    assert "but for heartbeat, which may" in shown.stdout
    assert "aps undo OPERATION" in shown.stdout


@pytest.mark.parametrize("format", ["markdown", "html", "mermaid"])
def test_a_book_goes_to_stdout_or_to_a_new_file(tmp_path: Path, format: str) -> None:
    file = tmp_path / "runbook"
    printed = cli.call("matrix", "render", "--format", format)
    saved = cli.call("matrix", "render", "--format", format, "--output", str(file))
    assert (saved.code, saved.stdout, saved.stderr) == (0, "", f"runbook saved: {file}\n")
    assert file.read_text(encoding="utf-8") == printed.stdout
    again = cli.call("matrix", "render", "--format", format, "--output", str(file))
    cli.refused(again, 2, f"--output {file}: there is a file already; name a new one")


def test_a_book_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    nowhere = cli.call("matrix", "render", "--output", str(tmp_path / "no" / "file"))
    cli.refused(nowhere, 2, "no such file or directory")
    cli.refused(cli.call("matrix", "render", "--output", ""), 2, "--output")
    cli.refused(cli.call("matrix", "render", "--format", "pdf"), 2, "markdown, html, mermaid")


def test_a_pack_with_faults_is_told_with_its_places(tmp_path: Path) -> None:
    pack = small_pack.write(
        tmp_path / "small", ("matrix.yaml", "effect: ready again", "effect: ready again, to: redy")
    )
    told = cli.call("matrix", "show", "--pack", str(pack))
    assert told.code == 30
    assert "matrix.yaml:19:78: states.adoption.action.to: no state is called 'redy'" in told.stderr
    assert "did you mean 'ready'?" in told.stderr


@pytest.mark.parametrize("name", packs.known())
def test_every_shipped_pack_has_a_runbook(name: str) -> None:
    for words in (("show",), ("render", "--format", "html"), ("render", "--format", "mermaid")):
        shown = cli.call("matrix", *words, "--pack", name)
        assert shown.code == 0, shown.stderr
        for state in matrix.load(packs.find(name)).states:
            assert state.name in shown.stdout


def test_a_runbook_needs_neither_the_driver_nor_a_table() -> None:
    for words in (
        ("show", "--format", "json"),
        ("explain", "ready", "--format", "csv"),
        ("render",),
    ):
        assert not {"psycopg", "tabulate", "aps.database", "aps.triage"} & loaded("matrix", *words)
