"""`aps reconcile JOB --epoch N`: what became of one completion. It looks, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from aps.commands import console, options, stores
from aps.commands.options import Format, Reach, Target
from aps.errors import Usage

if TYPE_CHECKING:
    from aps.files import Sight
    from aps.model.completion import Asked, Completion

_LARGEST: Final = 2**63 - 1

Epoch = Annotated[
    int | None,
    typer.Option(
        "--epoch",
        metavar="N",
        parser=options.whole("--epoch", 0, _LARGEST),
        help="Only answer: what became of the completion of this epoch. Writes nothing.",
    ),
]
Worker = Annotated[
    str | None, typer.Option("--worker", metavar="NAME", help="With --epoch: who completed it.")
]
Candidate = Annotated[
    str | None,
    typer.Option("--candidate", metavar="FILE", help="With --epoch: the file that was written."),
]
Digest = Annotated[
    str | None,
    typer.Option("--digest", metavar="sha256:HEX", help="With --epoch: of what was written."),
]


def asked(
    epoch: int | None, worker: str | None, candidate: str | None, digest: str | None
) -> Asked | None:
    """The completion that is asked about; None where none is. Raises Usage, before anything is reached."""
    from aps.model.completion import Asked

    given = {"--worker": worker, "--candidate": candidate, "--digest": digest}
    if epoch is None:
        for name, value in given.items():
            if value is not None:
                raise Usage(f"{name} needs --epoch: they name one completion together")
        return None
    if worker == "":
        raise Usage("--worker: a worker's name is not empty")
    if candidate is not None:
        _plain_name(candidate)
    if digest is not None and not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise Usage(f"--digest {digest}: write sha256: and 64 lower-case hexadecimal digits")
    return Asked(str(epoch), worker, candidate, digest)


def _plain_name(candidate: str) -> None:
    from aps.store import names

    fault = names.fault(candidate)
    if fault:
        raise Usage(
            f"--candidate {candidate}: {fault}; a candidate is the name that claim returned"
        )


def answer(
    jobs: Sequence[str],
    asked: Asked,
    others: Mapping[str, object],
    reach: Reach,
    store: str | None,
    format: Format,
    *,
    quiet: bool,
) -> NoReturn:
    """Print the answer, end with its code. `others` are the options that choose or act, by name; none may be given."""
    from aps import render

    meant = [name for name, value in others.items() if value]
    if meant:
        raise Usage(f"--epoch only asks, about one completion: leave out {', '.join(meant)}")
    if len(jobs) != 1:
        raise Usage("--epoch needs one JOB: it asks about one completion")
    target = options.target("reconcile", reach)
    given = stores.given(store, demo=reach.demo)
    with stores.progress(quiet=quiet or reach.show_sql) as tell:
        sight = stores.sight(given, None, "rehashed", tell) if given is not None else None
        told = _told(target, jobs[0], asked, sight)
    words = stores.words(store, None, "listed", demo=reach.demo)
    suffix = " ".join([*filter(None, [target.suffix]), *words])
    view = console.view(quiet=quiet, suffix=suffix, place=target.place)
    console.out(render.completion(told, format, view))
    console.leave(told.exit_code)


def _told(target: Target, job: str, asked: Asked, sight: Sight | None) -> Completion:
    """Raises ApsError."""
    from aps import completion
    from aps.database import ConnectionLost

    try:
        with target.session() as database:
            return completion.answer(target.matrix, database, job, asked, sight)
    except ConnectionLost:
        # A recovery conflict on a standby ends the session; a new snapshot does not meet it again.
        with target.session() as database:
            return completion.answer(target.matrix, database, job, asked, sight)
