"""Whole `aps` commands against psql doing the same, as ratios in one run."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from aps.demo import cluster
from aps.demo.binaries import Binaries

HERE = Path(__file__).parent


def main() -> None:
    options = _options()
    binaries = Binaries.find()
    with cluster.temporary(binaries) as server:
        dsn = server.dsn("postgres")
        psql = [str(binaries.folder / "psql"), "-X", "-q", "-d", dsn]
        _run([sys.executable, "-m", "aps", "init", "--dsn", dsn])
        sizes = [f"-v{name}={getattr(options, name)}" for name in ("finished", "ready", "expired")]
        _run([*psql, *sizes, "-f", str(HERE / "fill.sql")])
        rows = [_pair(*pair, options.runs) for pair in _pairs(psql, dsn)]
    print(
        f"{options.finished} finished, {options.ready} ready, {options.expired} expired; "
        f"median of {options.runs} runs\n"
    )
    print(tabulate(rows, ["command", "aps ms", "psql ms", "ratio"], disable_numparse=True))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--finished", type=int, default=200_000)
    parser.add_argument("--ready", type=int, default=5_000)
    parser.add_argument("--expired", type=int, default=30_000)
    parser.add_argument("--runs", type=int, default=7)
    return parser.parse_args()


def _pairs(psql: list[str], dsn: str) -> list[tuple[str, list[str], list[str]]]:
    aps = [sys.executable, "-m", "aps"]
    reach = ["--dsn", dsn]
    reclaim = [
        "reclaim",
        "--all",
        "--state",
        "adoption",
        "--limit",
        "1000",
        "--yes",
        "--reason",
        "benchmark",
    ]
    return [
        ("nothing (start-up)", [*aps, "--version"], [*psql, "-c", "SELECT 1"]),
        ("inspect", [*aps, "inspect", *reach], [*psql, "-f", str(HERE / "counts.sql")]),
        (
            "inspect JOB",
            [*aps, "inspect", "1", *reach],
            [*psql, "-c", "SELECT * FROM aps.job WHERE job_id = 1"],
        ),
        ("reclaim 1000", [*aps, *reclaim, *reach], [*psql, "-f", str(HERE / "requeue.sql")]),
    ]


def _pair(name: str, ours: Sequence[str], theirs: Sequence[str], runs: int) -> list[str]:
    """Alternating, so that a noisy neighbour meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        times[0].append(_timed(ours))
        times[1].append(_timed(theirs))
    first, second = (statistics.median(side) * 1000 for side in times)
    return [name, f"{first:.0f}", f"{second:.0f}", f"{first / second:.1f}"]


def _timed(command: Sequence[str]) -> float:
    start = time.perf_counter()
    _run(command)
    return time.perf_counter() - start


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # 10, 11: aps found something, as it should.
    if done.returncode not in (0, 10, 11):
        sys.exit(f"{' '.join(command)}: {done.stderr}")


if __name__ == "__main__":
    main()
