"""The processes of a private server: they end with the process that began them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from aps.demo.account import ENVIRONMENT, Account

# The account opens the log itself: root must not follow what lies in the account's own folder.
_RUN: Final = 'log=$1; shift; exec "$@" >>"$log" 2>&1'

# $1 data folder, $2 server's process, $3 socket folder, $4 keep or discard the data.
# The end of standard input without a word means that the starter is gone. The process is
# signalled only while the data folder still names it, since its number may be given again.
_WATCH: Final = """
read -r _ && exit
stop() { read -r pid <"$1/postmaster.pid" && [ "$pid" = "$2" ] && kill "$5" "$2"; }
stop "$@" -INT
tries=0
until rmdir "$3" || [ ! -e "$3" ]; do
    [ $tries -lt 50 ] || { stop "$@" -QUIT; sleep 1; rmdir "$3"; break; }
    tries=$((tries + 1)); sleep 0.1 || sleep 1
done
[ "$4" = keep ] || rm -rf -- "$1"
"""


class Lifeline:
    """A server process, and the watcher that ends it once this process is gone."""

    def __init__(
        self, account: Account, folder: Path, sockets: Path, argv: Sequence[str | Path], keep: bool
    ) -> None:
        log = folder / "server.log"
        run: list[str | Path] = ["/bin/sh", "-c", _RUN, "sh", log, *_tied_to_us(), *argv]
        self._server = _spawn(account, run, subprocess.DEVNULL)
        kept = "keep" if keep else "discard"
        watch: list[str | Path] = ["/bin/sh", "-c", _WATCH, "aps-watch", folder]
        watch += [str(self._server.pid), sockets, kept]
        self._watcher = _spawn(account, watch, subprocess.PIPE)

    @property
    def pid(self) -> int | None:
        """The server's process, while it runs."""
        return self._server.pid if self._server.poll() is None else None

    def end(self, how: signal.Signals) -> None:
        """Signal the server, harder where it does not end in time, and dismiss the watcher."""
        for sign in (how, signal.SIGQUIT, signal.SIGKILL):
            self._server.send_signal(sign)
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(timeout=10)
                break
        self._watcher.communicate(b"done\n")


def _spawn(account: Account, argv: Sequence[str | Path], stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        cwd="/",
        env=ENVIRONMENT,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **account.rights,
    )


def _tied_to_us() -> list[str]:
    """A prefix of the command by which Linux itself ends the server with the thread we are in.

    Not by `preexec_fn`, which warns in a process with threads; and the server's own account may
    not be able to run our Python. The watcher does the same on every system, a moment later.
    """
    tied = ["setpriv", "--pdeathsig", "INT", "--"]
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return []
    try:
        known = subprocess.run([*tied, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return []
    return tied if known else []
