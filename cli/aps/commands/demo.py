"""`aps demo`: a private queue in trouble, to try everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from aps.commands import console, inspect, options, stores
from aps.commands.options import Reach

if TYPE_CHECKING:
    from aps.demo.state import Demo

app = typer.Typer(name="demo", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Start a private PostgreSQL with a queue in trouble and look at it. It ends by itself after an idle hour."""
    if context.invoked_subcommand:
        return
    from aps.demo import control

    demo, fresh = control.start(_tell)
    if not fresh:
        console.say("the demo runs already; this is how it stands now")
    _look()
    _hints(demo)


@app.command()
def stop() -> None:
    """End the demo; nothing of it is left."""
    from aps.demo import control

    console.out("the demo has ended" if control.stop() else "no demo is running")


@app.command()
def work() -> None:
    """Let one worker finish what is ready now."""
    from aps.demo import control

    finished = control.work()
    for done in finished:
        console.out(f"job {done.job} {done.answer} under epoch {done.epoch}: {done.file}")
    if not finished:
        console.out("nothing was ready; a reclaimed job would be")


@app.command()
def resume() -> None:
    """Wake the stopped worker and see its late result refused."""
    from aps.demo import control

    woken = control.resume()
    late = f"its {woken.sent} for job {woken.job} under epoch {woken.epoch} came after its lease"
    if woken.before:
        console.out(f"worker {woken.worker} was awake already: {late} and had been rejected")
    else:
        console.out(f"worker {woken.worker} woke: {late} and was rejected")
    console.out(
        f"job {woken.job} is {woken.state} under epoch {woken.standing_epoch}; the rejected write changed nothing in it"
    )
    console.say(f"try next: aps inspect {woken.job} --demo")


def _tell(step: str) -> None:
    console.say(f"{step} ...")
    # The supervisor works meanwhile: what the screen needs is loaded before it is needed.
    from aps import render, triage

    _ = render, triage


def _look() -> None:
    from aps import triage

    target = options.target("demo", Reach(demo=True))
    look = triage.Look(suffix=target.suffix, again=target.suffix)
    report = inspect.seen(target, look, stores.sight(stores.demo(), None, "listed", None))
    inspect.show(report, look, "table", quiet=False)


def _hints(demo: Demo) -> None:
    killed, stopped = demo.jobs["killed"], demo.jobs["stopped"]
    reclaim = f"aps reclaim {killed} --demo"
    lines = {
        f"aps inspect {killed} --demo": "the job of a worker that was killed",
        reclaim: "what giving it back would do; changes nothing",
        f'{reclaim} --yes --reason "worker killed"': "give it back",
        "aps inspect --demo --level rehashed": "read the files that rows name, byte by byte",
        "aps demo work": "a worker finishes what is ready",
        "aps demo resume": f"wake the worker that was stopped while it had job {stopped}",
        "aps demo stop": "end the demo",
    }
    console.out("\ntry next:")
    for command, effect in lines.items():
        console.out(f"  {command:<54}{effect}")
