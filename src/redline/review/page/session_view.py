"""A session on the page: who, when, its turns and its runs. `change_view` draws the diff below."""

from __future__ import annotations

import time
from collections.abc import Sequence

from redline.core.ports.commands import RunQuery
from redline.review.page.activity import run_badge
from redline.review.page.layout import Viewer
from redline.review.page.markup import Html, address, facts, hidden, join, link, tag
from redline.review.page.times import iso, long_time, relative
from redline.services.history.sessions import WorkSession
from redline.services.history.turns import Turn, is_agents, list_turns, name_actor, name_agent
from redline.services.runtime import Runtime

# Seconds after which a session without a change is not at work.
_AT_WORK = 300.0
_MAX_TURNS = 50
_MAX_RUNS = 50
_MAX_LINE = 120
# How many operations are read to see who is at work.
_RECENT = 200


def session_facts(runtime: Runtime, session: WorkSession) -> Html:
    """Return who, when and how much."""
    start, end = session.turns[0].time, session.operations[-1].time
    span = join(_moment(start), " to ", _moment(end)) if end - start >= 60 else _moment(start)
    count = len(session.operations)
    return facts(
        [
            ("Who", name_actor(session.operations[0].origin)),
            ("Person", session.operations[0].origin.principal),
            ("When", span),
            ("Changes", link(address("/", session=session.name), f"{count} in the activity")),
            ("Runs", _runs(runtime, session)),
        ]
    )


def session_turns(runtime: Runtime, viewer: Viewer, session: WorkSession) -> Html:
    """Return the turns, the oldest first, each with what undoes it."""
    # As `undo --turn` counts them: from the latest turn of all sessions.
    openers = [turn.opener for turn in reversed(list_turns(runtime.history))]
    items = [
        _turn(viewer, session, turn, f"@turn-{openers.index(turn.opener)}")
        for turn in session.turns[-_MAX_TURNS:]
        if turn.opener in openers
    ]
    note = None
    if not any(turn.prompt for turn in session.turns):
        note = tag("p", "No hook tells of prompts here: pauses part the turns.", class_="hint")
    return tag(
        "details",
        tag("summary", f"{len(items)} turn{'' if len(items) == 1 else 's'}"),
        tag("ol", items),
        note,
        class_="contents turns",
    )


def _turn(viewer: Viewer, session: WorkSession, turn: Turn, point: str) -> Html:
    words = turn.words or "(no prompt)"
    count = len(turn.operations)
    undo: object = None
    if all(operation.reverted_by for operation in turn.operations):
        undo = tag("em", "undone")
    elif viewer.can_act:
        undo = viewer.form(
            "/undo",
            hidden("turn", point),
            hidden("back", session.combined.id),
            tag("button", "Undo turn", aria_label=f"Undo turn {words}"),
        )
    changes = f"{count} change{'' if count == 1 else 's'}"
    return tag("li", tag("q", words), " ", _moment(turn.time), f", {changes} ", undo)


def _runs(runtime: Runtime, session: WorkSession) -> Html | None:
    names = {operation.origin.session for operation in session.operations}
    runs = [
        run
        for name in sorted(names)
        for run in runtime.runs.list(RunQuery(limit=_MAX_RUNS, session=name))
    ]
    if not runs:
        return None
    items = [
        tag(
            "li",
            link(
                address(f"/run/{run.number}"),
                tag("code", runtime.mask_for_person(run.line)[:_MAX_LINE]),
            ),
            " ",
            run_badge(run),
        )
        for run in sorted(runs, key=lambda run: run.number)
    ]
    failed = sum(run.is_failure for run in runs)
    shown = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
    shown += f", {failed} failed" if failed else ""
    return tag("details", tag("summary", shown), tag("ol", items))


def turns_at_work(runtime: Runtime) -> list[Turn]:
    """Return the latest turn of each agent's session with one in the last minutes, newest first."""
    since = time.time() - _AT_WORK
    latest: dict[str, Turn] = {}
    for turn in list_turns(runtime.history, _RECENT):
        latest[turn.session] = turn
    return [
        turn
        for turn in sorted(latest.values(), key=lambda turn: -turn.end)
        if turn.end >= since and turn.operations and is_agents(turn.operations[0].origin)
    ]


def at_work(turns: Sequence[Turn]) -> Html | None:
    """Return the sessions of turns that go on."""
    items = [
        tag(
            "li",
            link(address(f"/session/{turn.session}"), name_agent(turn.client)),
            " ",
            tag("q", turn.words) if turn.words else None,
            " ",
            _moment(turn.end),
        )
        for turn in turns
    ]
    return tag("ul", items, class_="at-work", aria_label="At work") if items else None


def _moment(moment: float) -> Html:
    return tag("time", relative(moment), datetime=iso(moment), title=long_time(moment))
