"""The command as its users run it: as a process with a clean environment, or faster in this process."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from unittest import mock

import aps
from aps.main import main

NOTHING: Mapping[str, str] = MappingProxyType({})
TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Result:
    """`code` is the exit code; both texts are whole."""

    code: int
    stdout: str
    stderr: str


def environment(given: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Nothing of the caller's PG*, APS_* or terminal variables, and this checkout's aps."""
    return {
        "PATH": os.defpath,
        "HOME": tempfile.gettempdir(),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(Path(aps.__file__).parents[1]),
        **given,
    }


def argv(*words: str) -> list[str]:
    return [sys.executable, "-m", "aps", *words]


def run(*words: str, env: Mapping[str, str] = NOTHING, stdin: str = "") -> Result:
    """`aps WORDS` as a process of its own, without a terminal, in a folder that holds nothing of it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            argv(*words),
            env=environment(env),
            input=stdin.encode(),
            capture_output=True,
            cwd=folder,
            timeout=TIMEOUT,
            check=False,
        )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def call(*words: str, env: Mapping[str, str] = NOTHING) -> Result:
    """`aps WORDS` in this process: the same entry point, the same streams, no start-up."""
    out, err = _stream(), _stream()
    code = 0
    with _as_process(words, env), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Result(code, _text(out), _text(err))


@contextmanager
def _as_process(words: tuple[str, ...], env: Mapping[str, str]) -> Iterator[None]:
    closed = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    with (
        closed,
        mock.patch.dict(os.environ, environment(env), clear=True),
        mock.patch.object(sys, "argv", ["aps", *words]),
        mock.patch.object(sys, "stdin", closed),
    ):
        yield


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def refused(result: Result, code: int, *told: str) -> None:
    """One sentence on stderr that says all of `told`, nothing on stdout, and that code."""
    assert result.code == code, result
    assert result.stdout == "", result.stdout
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("aps: "), result.stderr
    assert "Traceback" not in result.stderr
    for text in told:
        assert text in result.stderr, (text, result.stderr)
