"""What many jobs have in common, a line a state: the blocker once, not each job that it blocks."""

from __future__ import annotations

from collections.abc import Sequence

from aps.model.report import Cause
from aps.render import prose
from aps.render.view import View


def lines(causes: Sequence[Cause], view: View) -> list[str]:
    """`cause:` for who stands in the way, `in common:` for what most jobs of a state share."""
    told = [_blocker(cause, view) for cause in causes if cause.what in ("blocked_by", "locked")]
    told += [
        f"in common: {_named(state, view)}: {shared(causes, view, state)}"
        for state in dict.fromkeys(cause.state for cause in causes)
        if shared(causes, view, state)
    ]
    return ["\n".join(prose.wrapped(text, view.columns, rest="  ")) for text in told]


def shared(causes: Sequence[Cause], view: View, state: str) -> str:
    """`worker w1 (all 5000), since 2026-11-30T21:12Z (4980 of 5000)`; empty where most share nothing."""
    return ", ".join(
        f"{view.words(cause.what.replace('_', ' '))} {_value(cause, view)} ({_share(cause)})"
        for cause in causes
        if cause.state == state and cause.what not in ("blocked_by", "locked")
    )


def _blocker(cause: Cause, view: View) -> str:
    many = f"{cause.jobs} of {cause.among} {_named(cause.state, view)}"
    if cause.what == "locked":
        return f"cause: {view.words(cause.value)}: {many}"
    return (
        f"cause: {view.text(cause.value)} stands in the way of {many}: "
        "act on that one alone, then look again"
    )


def _named(state: str, view: View) -> str:
    return view.words(state.replace("_", " "))


def _value(cause: Cause, view: View) -> str:
    return f"{cause.value}Z" if cause.what == "since" else view.text(cause.value)


def _share(cause: Cause) -> str:
    return f"all {cause.among}" if cause.jobs == cause.among else f"{cause.jobs} of {cause.among}"
