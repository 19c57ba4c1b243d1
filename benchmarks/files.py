"""`aps inspect` with a store against the bare work on the same files, as ratios in one run, and its memory."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tabulate import tabulate

from aps.demo import cluster
from aps.demo.binaries import Binaries
from aps.demo.cluster import Cluster

HERE = Path(__file__).parent
APS = [sys.executable, "-m", "aps"]
PLAIN = [sys.executable, str(HERE / "plain.py")]


@dataclass(frozen=True, slots=True)
class Place:
    """A store of published files, all of one size, and the database that they are published in."""

    store: str
    dsn: str
    files: int
    size: int

    @property
    def shape(self) -> str:
        return f"{self.files} of {self.size} bytes"

    def inspect(self, *words: str) -> list[str]:
        return [*APS, "inspect", "-q", "--dsn", self.dsn, "--store", self.store, *words]

    def pairs(self) -> Iterator[tuple[str, list[str], str, list[str]]]:
        """Each command of aps, and each piece of bare work that it is held against."""
        listed, rehashed = self.inspect(), self.inspect("--level", "rehashed")
        yield "inspect, listed", listed, "scandir + stat", [*PLAIN, "stat", self.store]
        yield "inspect, rehashed", rehashed, "sha256, one thread", [*PLAIN, "1", self.store]
        yield "inspect, rehashed", rehashed, "sha256, two threads", [*PLAIN, "2", self.store]
        yield "inspect, rehashed", rehashed, "sha256sum", _sha256sum(self.store)


def main() -> None:
    options = _options()
    binaries = Binaries.find()
    folder = Path(tempfile.mkdtemp(prefix="aps-bench-"))
    shapes = [(options.files // 5, options.size), (options.files, options.size)]
    shapes += [(count, options.large // count) for count in (1, 4, 64) if options.large]
    try:
        with cluster.temporary(binaries) as server:
            psql = str(binaries.folder / "psql")
            places = [_built(server, psql, folder, *shape) for shape in shapes]
            _speed(places, options.runs)
            _memory(places)
    finally:
        shutil.rmtree(folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--files", type=int, default=100_000, help="small files, a publication each"
    )
    parser.add_argument("--size", type=int, default=4096, help="bytes of a small file")
    parser.add_argument(
        "--large", type=int, default=512 << 20, help="bytes of large files in total"
    )
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def _built(server: Cluster, psql: str, folder: Path, files: int, size: int) -> Place:
    name = f"f{files}x{size}"
    place = Place(str(folder / name), server.dsn(name), files, size)
    Path(place.store).mkdir()
    _run([psql, "-X", "-q", "-d", server.dsn(), "-c", f"CREATE DATABASE {name}"])
    _run([*APS, "init", "--dsn", place.dsn, "--store", place.store])
    lines = "".join(f"{job},{digest}\n" for job, digest in _written(place))
    script = ["-v", "ON_ERROR_STOP=1", "-f", str(HERE / "files.sql")]
    _run([psql, "-X", "-q", "-d", place.dsn, *script], lines)
    return place


def _written(place: Place) -> Iterator[tuple[int, str]]:
    """Every job with the digest of its file: a folder a job, as the queue names them."""
    for job in range(1, place.files + 1):
        content = os.urandom(32) * (place.size // 32)
        file = Path(place.store, str(job), "1-bench")
        file.parent.mkdir()
        file.write_bytes(content)
        yield job, f"sha256:{hashlib.sha256(content).hexdigest()}"


def _sha256sum(store: str) -> list[str]:
    return ["sh", "-c", 'find "$1" -type f -print0 | xargs -0 sha256sum', "-", store]


def _speed(places: Sequence[Place], runs: int) -> None:
    rows = []
    for place in places:
        for ours, command, theirs, plain in place.pairs():
            first, second = _both(command, plain, runs)
            rows.append(
                [
                    place.shape,
                    ours,
                    f"{first:.2f}",
                    theirs,
                    f"{second:.2f}",
                    f"{first / second:.1f}",
                ]
            )
    print(f"median of {runs} runs, file cache warm\n")
    headers = ["files", "command", "aps s", "against", "s", "ratio"]
    print(tabulate(rows, headers, disable_numparse=True))


def _both(ours: Sequence[str], theirs: Sequence[str], runs: int) -> tuple[float, float]:
    """Alternating, so that a noisy neighbour meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        times[0].append(_timed(lambda: _run(ours)))
        times[1].append(_timed(lambda: _run(theirs)))
    return statistics.median(times[0]), statistics.median(times[1])


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _memory(places: Sequence[Place]) -> None:
    rows = []
    for place in places:
        for words in ((), ("--level", "rehashed")):
            peak = _peak(place.inspect(*words))
            rows.append([place.shape, " ".join(["inspect", *words]), f"{peak / 1024:.0f}"])
    print()
    print(tabulate(rows, ["files", "command", "peak MiB"], disable_numparse=True))


def _peak(command: Sequence[str]) -> int:
    """The most memory that it had, in KiB. Forked from a small process: a child begins with its parent's peak."""
    code = "import resource as r, subprocess as s, sys; s.run(sys.argv[1:], stdout=s.DEVNULL); "
    code += "print(r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss)"
    said = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    return int(said.stdout)


def _run(command: Sequence[str], given: str | None = None) -> None:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    # 10, 11: aps found something, as it may.
    if done.returncode not in (0, 10, 11):
        sys.exit(f"{' '.join(command)}: {done.stderr}")


if __name__ == "__main__":
    main()
