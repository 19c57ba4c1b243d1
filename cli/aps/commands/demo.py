"""`aps demo`: a private queue in trouble, to try everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from aps.commands import console, inspect, options, stores
from aps.commands.options import Reach

if TYPE_CHECKING:
    from aps.demo.state import Demo
    from aps.model.report import Report

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
    _hints(demo, _look())


@app.command()
def stop() -> None:
    """End the demo: its processes, data and files. A copied PostgreSQL is kept for the next start."""
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
    under = f"under epoch {woken.standing_epoch}"
    standing = (
        f"still stands {under}, its lease over" if woken.overdue else f"is {woken.state} {under}"
    )
    console.out(f"job {woken.job} {standing}; the rejected write changed nothing in it")
    console.say(f"try next: aps inspect {woken.job} --demo")


def _tell(step: str) -> None:
    console.say(f"{step} ...")
    # The supervisor works meanwhile: what the screen needs is loaded before it is needed.
    from aps import render, triage

    _ = render, triage


def _look() -> Report:
    """The first screen, printed, and what it was made of."""
    from aps import triage

    target = options.target("demo", Reach(demo=True))
    look = triage.Look(suffix=target.suffix, at_store=target.suffix, again=target.suffix)
    report = inspect.seen(
        target, look, stores.sight(stores.given(None, demo=True), None, "listed", None)
    )
    inspect.show(report, look, "table", quiet=False, place=target.place)
    return report


def _hints(demo: Demo, report: Report) -> None:
    """What may be typed now: nothing that the queue, as it stands, would answer with a refusal."""
    from aps.demo import control

    lines = _about_the_overdue(demo, report)
    if any(finding.state == "ready" and finding.jobs for finding in report.states):
        lines["aps demo work"] = "a worker finishes what is ready"
    if control.stopped(demo):
        stopped = demo.jobs["stopped"]
        wake = f"wake the worker that was stopped while it had job {stopped}"
        lines["aps demo resume"] = wake
    lines |= _about_files(report)
    lines["aps inspect --demo --level rehashed"] = "read the files that rows name, byte by byte"
    lines["aps demo stop"] = "end the demo"
    console.out("\ntry next:")
    for command, effect in lines.items():
        console.out(f"  {command:<54}{effect}")


def _about_files(report: Report) -> dict[str, str]:
    lines = {}
    for finding in report.states:
        if finding.do and finding.do.startswith("aps reconcile"):
            lines[finding.do] = f"{finding.title}: what would be done; changes nothing"
    return lines


def _about_the_overdue(demo: Demo, report: Report) -> dict[str, str]:
    """For one job that may be given back: the killed worker's where it still may."""
    killed = str(demo.jobs["killed"])
    overdue = [job.job for job in report.jobs if job.state == "adoption"]
    if not overdue:
        return {}
    job = killed if killed in overdue else overdue[0]
    reclaim = f"aps reclaim {job} --demo"
    who = "that was killed" if job == killed else "that lost its lease"
    reason = "worker killed" if job == killed else "lease lost"
    return {
        f"aps inspect {job} --demo": f"the job of a worker {who}",
        reclaim: "what giving it back would do; changes nothing",
        f'{reclaim} --yes --reason "{reason}"': "give it back",
    }
