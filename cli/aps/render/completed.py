"""What became of a completion, for whoever waits for it. How far was looked stands beside the answer."""

from __future__ import annotations

from collections.abc import Mapping

from aps.model import key
from aps.model.completion import Answer, Completion
from aps.render import age, facts, heading, prose
from aps.render.prose import labelled
from aps.render.view import Mark, View

_MARKS: Mapping[Answer, Mark] = {
    "applied": "",
    "superseded": " !",
    "cancelled": " !",
    "open": " !",
    "incompatible": "!!",
    "undetermined": "?",
}


def text(completion: Completion, view: View) -> str:
    typed = key.typed("aps inspect", [completion.job], view.suffix)
    look = "" if view.quiet else labelled("look", prose.whole(view.words(typed)), view)
    blocks = [
        [_title(completion, view)],
        [
            labelled("answer", view.words(completion.reason), view),
            labelled("do", view.words(completion.next), view),
        ],
        [labelled("asked", prose.joined(_asked(completion, view), view, _room(view)), view)],
        [_evidence(completion, view), labelled("from", _place(completion, view), view)],
        [look],
    ]
    return prose.paragraphs(blocks)


def said(completion: Completion) -> str:
    """`superseded by epoch 4`."""
    epoch = completion.evidence.get("epoch")
    by = f" by epoch {epoch}" if completion.answer == "superseded" and epoch else ""
    return f"{completion.answer}{by}"


def level(completion: Completion) -> str:
    """How far was looked: never more is said of a file than was seen of it."""
    unseen = "; no file was looked at" if completion.level == "recorded" else ""
    return f"level: {completion.level}{unseen}"


def _title(completion: Completion, view: View) -> str:
    parts = [
        f"job {view.text(completion.job)}",
        f"epoch {view.words(completion.asked.epoch)}",
        view.words(said(completion)),
        view.words(level(completion)),
    ]
    mark = _MARKS[completion.answer]
    return "\n".join(view.paint(line, mark) for line in prose.line(parts, view, "  ").split("\n"))


def _asked(completion: Completion, view: View) -> list[str]:
    asked = completion.asked
    given = (("worker", asked.worker), ("candidate", asked.candidate), ("digest", asked.digest))
    told = [f"{name} {view.text(value)}" for name, value in given if value is not None]
    left = [name for name, value in given if value is None]
    absent = [f"not given, so not compared: {', '.join(left)}"] if left else []
    return [f"epoch {view.words(asked.epoch)}", *told, *absent]


def _evidence(completion: Completion, view: View) -> str:
    now = age.read(completion.as_of)
    shown = facts.parts([((completion.job,), completion.evidence)], view, now, age.both)
    source = view.words(completion.evidence_file)
    when = age.moment(completion.as_of, now)
    parts = [*shown, f"{source}, {when}" if when else source]
    return labelled("evidence", prose.joined(parts, view, _room(view)), view)


def _place(completion: Completion, view: View) -> str:
    server, store = completion.database, completion.store
    where = heading.place(server.host, server.name, view)
    parts = [
        view.words(f"{completion.system} on {where} as {server.role}"),
        "standby" if server.in_recovery else "primary",
        *([view.words(f"store {store.url}")] if store.url else []),
        *(view.words(note) for note in store.notes),
    ]
    return prose.joined(parts, view, _room(view))


def _room(view: View) -> int:
    return view.columns - prose.LABEL
