"""A caller over HTTP that loses the answer and repeats its request, or sends its key with something else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aps.demo.export import digest
from aps.demo.worker import read
from aps.drill.front import Answer, Call, Content, Front, Mishap, ask
from aps.drill.ground import Ground
from aps.drill.script import Notes, Script
from aps.drill.waiting import until

_EXPORT: Final[Content] = {"kind": "export", "input_name": None, "input_digest": None}
_REPORT: Final[Content] = {**_EXPORT, "kind": "report"}
_INPUT: Final[Content] = {
    "kind": "export",
    "input_name": "inputs/a.csv",
    "input_digest": digest(b"a"),
}
_NEW, _REPEATED, _CONFLICT = 201, 200, 409
_NO_ANSWER: Final = Answer(0, None)
_CROWD: Final = 4

Rows = Sequence[Mapping[str, Any]]


def _rows(ground: Ground) -> Rows:
    """Every job, each with `accepted`: how often it was, by its events."""
    with ground.session("aps_read", "rows") as session:
        found = ground.ask(session, "request_rows")
    return [{**json.loads(row["whole"] or "{}"), "accepted": row["accepted"]} for row in found]


def _accepted(ground: Ground) -> list[str]:
    return [f"{row['request_key']} {row['accepted']}" for row in _rows(ground)]


def _job(ground: Ground, key: str) -> str | None:
    return next((str(row["job_id"]) for row in _rows(ground) if row["request_key"] == key), None)


def _changed(before: Rows, after: Rows) -> list[str]:
    columns = [
        f"{old['request_key']}: {name}"
        for old, new in zip(before, after, strict=False)
        for name in old
        if new[name] != old[name]
    ]
    return columns + [f"{len(after)} rows"] * (len(after) != len(before))


def _killed(front: Front, key: str, content: Content) -> Answer:
    """The request, and the front killed where it stands with it."""
    call = Call(front, key, content)
    front.process.news()
    front.process.kill()
    return call.answer()


def answer_lost(ground: Ground, notes: Notes) -> None:
    first = Front.open(
        ground,
        "front1",
        {"cut": Mishap("committed", "cut"), "killed": Mishap("committed", "stand")},
    )
    second = Front.open(ground, "front2")
    lost = {"cut": ask(first, "cut", _EXPORT), "killed": _killed(first, "killed", _INPUT)}
    notes.did(
        "a front committed a request and cut the connection without an answer; with another one it was killed "
        "(SIGKILL) between its COMMIT and its answer"
    )
    notes.did("then the caller sent the same key and content twice more, to another front")
    for key, content in (("cut", _EXPORT), ("killed", _INPUT)):
        notes.saw(f"{key}: what the caller got", lost[key], _NO_ANSWER)
        job = _job(ground, key)
        again = [ask(second, key, content) for _ in range(2)]
        notes.saw(f"{key}: the answers", again, [Answer(_REPEATED, job)] * 2)
    notes.saw("requests, and how often each was accepted", _accepted(ground), ["cut 1", "killed 1"])


def commit_lost(ground: Ground, notes: Notes) -> None:
    mishaps = {
        "unread": Mishap("received", "cut"),
        "cut": Mishap("inserted", "cut"),
        "killed": Mishap("inserted", "stand"),
    }
    first = Front.open(ground, "front1", mishaps)
    second = Front.open(ground, "front2")
    lost = [ask(first, key, _EXPORT) for key in ("unread", "cut")]
    lost.append(_killed(first, "killed", _EXPORT))
    notes.did(
        "a front cut a request before its statement, another one before its COMMIT, and was killed before a third one's"
    )
    notes.saw("what the caller got", lost, [_NO_ANSWER] * 3)
    notes.saw("requests that are there", _accepted(ground), [])
    again = {key: ask(second, key, _EXPORT) for key in mishaps}
    notes.did("the caller sent each of them once more, to another front")
    for key, answer in again.items():
        notes.saw(f"{key}: the answer", answer, Answer(_NEW, _job(ground, key)))
    found = sorted(_accepted(ground))
    notes.saw("requests, and how often each was accepted", found, ["cut 1", "killed 1", "unread 1"])


def key_reused(ground: Ground, notes: Notes) -> None:
    front = Front.open(ground, "front1")
    asked: dict[str, Content] = {"plain": _EXPORT, "with an input": _INPUT}
    jobs = {key: ask(front, key, content).job for key, content in asked.items()}
    before = _rows(ground)
    notes.did("two requests were accepted, one of them with an input")
    others: dict[str, tuple[str, Content]] = {
        "another kind": ("with an input", {**_INPUT, "kind": "report"}),
        "another input": ("with an input", {**_INPUT, "input_name": "inputs/b.csv"}),
        "another digest": ("with an input", {**_INPUT, "input_digest": digest(b"b")}),
        "no input": ("with an input", _EXPORT),
        "an input where there was none": ("plain", _INPUT),
    }
    for what, (key, content) in others.items():
        answer = ask(front, key, content)
        notes.saw(f"the same key with {what}", answer, Answer(_CONFLICT, jobs[key]))
    notes.did("their keys were sent with other content, then with the same")
    again = [ask(front, key, content) for key, content in asked.items()]
    expected = [Answer(_REPEATED, jobs[key]) for key in asked]
    notes.saw("the same content once more", again, expected)
    notes.saw("a request without a key", ask(front, "", _EXPORT), Answer(400, None))
    notes.saw("what changed of the rows", _changed(before, _rows(ground)), [])
    found = _accepted(ground)
    notes.saw("requests, and how often each was accepted", found, ["plain 1", "with an input 1"])


def at_once(ground: Ground, notes: Notes) -> None:
    stands = Mishap("inserted", "stand")
    fronts = (
        Front.open(ground, "front1", {"same": stands, "other": stands, "dies": stands}),
        Front.open(ground, "front2"),
    )
    for key, content, status in (("same", _EXPORT, _REPEATED), ("other", _REPORT, _CONFLICT)):
        calls = _both(ground, fronts, key, content)
        fronts[0].process.cue()
        answers = [call.answer() for call in calls]
        job = _job(ground, key)
        expected = [Answer(_NEW, job), Answer(status, job)]
        notes.saw(f"{key} content: the answers", answers, expected)
    notes.did(
        "a front stood with a request inserted and not committed, and a second front waited for it with the same key; "
        "then the first committed"
    )
    _crowd(ground, notes, fronts)
    _first_killed(ground, notes, fronts)
    kept = [f"{row['request_key']} {row['kind']} {row['accepted']}" for row in _rows(ground)]
    one = next((row for row in kept if row.startswith("crowd")), "")
    expected_rows = ["same export 1", "other export 1", one, "dies report 1"]
    notes.saw("the requests, and how often each was accepted", kept, expected_rows)


def _first_killed(ground: Ground, notes: Notes, fronts: tuple[Front, Front]) -> None:
    calls = _both(ground, fronts, "dies", _REPORT)
    fronts[0].process.kill()
    notes.did("once more, and the first front was killed before its COMMIT")
    seen = [call.answer() for call in calls]
    job = _job(ground, "dies")
    expected = [_NO_ANSWER, Answer(_NEW, job)]
    notes.saw("the first is killed: the answers", seen, expected)
    again = [ask(fronts[1], "dies", content) for content in (_REPORT, _EXPORT)]
    notes.saw("sent again", again, [Answer(_REPEATED, job), Answer(_CONFLICT, job)])


def _both(
    ground: Ground, fronts: tuple[Front, Front], key: str, content: Content
) -> tuple[Call, Call]:
    """The first front stands with the key inserted; the second one, with that content, waits for it."""
    one = Call(fronts[0], key, _EXPORT)
    fronts[0].process.news()
    two = Call(fronts[1], key, content)
    _waiting(ground, 1)
    return one, two


def _waiting(ground: Ground, count: int) -> None:
    with ground.session("aps_read", "watch") as watch:
        until(
            lambda: ground.ask(watch, "request_waiting")[0]["waiting"] == str(count),
            f"{count} requests to wait for another one's transaction",
        )


def _crowd(ground: Ground, notes: Notes, fronts: tuple[Front, Front]) -> None:
    """Many that wait for one which then is rolled back: all of them go on at the same moment."""
    contents = [_EXPORT, _REPORT] * _CROWD
    with ground.session(name="held") as held:
        held.begin_write()
        held.rows(read("accept", ground.yard.queries), {"request_key": "crowd", **_EXPORT})
        calls = [Call(fronts[number % 2], "crowd", one) for number, one in enumerate(contents)]
        _waiting(ground, len(calls))
        held.rollback()
    answers = [call.answer() for call in calls]
    notes.did(
        f"{len(calls)} requests with one key, half of them with other content, waited in two fronts for one more that "
        "was rolled back: they all went on at once"
    )
    won = next(
        (one for one, said in zip(contents, answers, strict=True) if said.status == _NEW), None
    )
    statuses = sorted(one.status for one in answers)
    expected = [_REPEATED] * (_CROWD - 1) + [_NEW] + [_CONFLICT] * _CROWD
    notes.saw("all at once: the statuses", statuses, expected)
    same = {said.status for one, said in zip(contents, answers, strict=True) if one == won}
    what = "all at once: what those with the content of the one that won got"
    notes.saw(what, sorted(same), [_REPEATED, _NEW])
    named = sorted({str(one.job) for one in answers})
    notes.saw("all at once: the jobs that were named", named, [_job(ground, "crowd")])


_ONE_SERVER: Final = (
    "the same of a front that keeps its keys elsewhere, forgets them, or answers before its commit"
)
SCRIPTS: Final = (
    Script(
        "request-answer-lost",
        "A front loses the answer to a request that it has committed; the caller sends it again",
        "the same key and content is the same job, however often it is sent, and is accepted once",
        _ONE_SERVER,
        answer_lost,
    ),
    Script(
        "request-commit-lost",
        "A front loses a request before its commit; the caller sends it again",
        "what was not committed is not there, holds up nobody, and is accepted as new when it is sent again",
        "that a caller who does not send it again finds out",
        commit_lost,
    ),
    Script(
        "request-key-reused",
        "A key is sent again with other content",
        "other content under a key that is taken is told as a conflict, whatever differs of it, and changes nothing",
        "anything about what the input's bytes are: the digest is the caller's word until it is confirmed",
        key_reused,
    ),
    Script(
        "request-at-once",
        "Two fronts are sent the same key at the same time",
        "of requests at the same moment one is accepted; the others wait for it, and are repeated or a conflict by "
        "their content",
        "which of them is the first",
        at_once,
    ),
)
