"""A session on the page: who, its turns, commands and questions. `change_view` draws its diff."""

from __future__ import annotations

import time
from collections.abc import Sequence

from redline.core.changes import ChangeSet
from redline.core.ports.commands import CommandRun, RunQuery
from redline.core.ports.review import Decision, HeldState
from redline.plan.describe import name_first
from redline.review.held import list_held, list_questions
from redline.review.page.layout import Viewer
from redline.review.page.markup import Html, address, facts, hidden, join, link, tag
from redline.review.page.timeline import line_counts, run_badge
from redline.review.page.times import iso, long_time, relative
from redline.services.history.export import WorkSession
from redline.services.history.lines import count_lines
from redline.services.history.turns import Turn, is_agents, list_turns, name_actor, name_agent
from redline.services.names import display_name
from redline.services.runtime import Runtime

# Seconds after which a session without a change is not at work.
_AT_WORK = 300.0
# Turns of a session with more changes are drawn when a person opens them.
_MAX_SHORT = 60
_MAX_TURNS = 50
_MAX_RUNS = 30
_SHOWN_LINES = 3
_NAMED = 3
_MAX_LINE = 120
# How many operations are read to see who is at work.
_RECENT = 200


def session_facts(session: WorkSession) -> Html:
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
        ]
    )


def session_story(runtime: Runtime, viewer: Viewer, session: WorkSession) -> Html:
    """Return the turns, the commands, and what a person was asked.

    The turns of a long session are left for `turn_list`: counting their lines takes time.
    """
    is_short = len(session.operations) <= _MAX_SHORT
    shown = turn_list(runtime, viewer, session) if is_short else None
    runs = _runs(runtime, session)
    failed = sum(run.is_failure for run in runs)
    asked = _asked(runtime, session)
    return join(
        _part(_count(len(session.turns), "turn"), shown, is_open=is_short,
              data_src=None if is_short else address(f"/session/{session.name}/turns")),
        _part(_count(len(runs), "command") + (f", {failed} failed" if failed else ""),
              tag("ol", [_run(runtime, run) for run in runs])) if runs else None,
        _part(_count(len(asked), "question"), tag("ol", asked), is_open=True) if asked else None,
    )  # fmt: skip


def _part(title: str, content: object, *, is_open: bool = False, **more: object) -> Html:
    return tag("details", tag("summary", title), content, class_="turns", open=is_open, **more)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def turn_list(runtime: Runtime, viewer: Viewer, session: WorkSession) -> Html:
    """Return the turns, the oldest first, each with its files and what undoes it."""
    # As `undo --turn` counts them: from the latest turn of all sessions.
    openers = [turn.opener for turn in reversed(list_turns(runtime.history))]
    items = [
        _turn(runtime, viewer, session, turn, f"@turn-{openers.index(turn.opener)}")
        for turn in session.turns[-_MAX_TURNS:]
        if turn.opener in openers
    ]
    note = None
    if not any(turn.prompt for turn in session.turns):
        note = tag("p", "No hook tells of prompts here: pauses part the turns.", class_="hint")
    return join(tag("ol", items), note)


def _turn(runtime: Runtime, viewer: Viewer, session: WorkSession, turn: Turn, point: str) -> Html:
    words = turn.words or "(no prompt)"
    own = {operation.id for operation in turn.operations}
    made = [operation for operation in session.operations if operation.id in own]
    steps = ChangeSet(tuple(step for each in made for step in each.change_set.steps))
    label = lambda path: display_name(runtime.workspace, path)  # noqa: E731
    named, _ = name_first(steps, label, len(steps.steps))
    names = list(dict.fromkeys(place.path for place in named))
    more = " ..." if len(names) > _NAMED else ""
    lines = count_lines(runtime.history.fill(steps))
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
    return tag(
        "li",
        tag("q", words),
        tag(
            "span",
            _moment(turn.time),
            f", {_count(len(made), 'change')}: ",
            ", ".join(names[:_NAMED]),
            more,
            class_="dim",
        ),
        line_counts(lines.added, lines.removed),
        undo,
    )


def _runs(runtime: Runtime, session: WorkSession) -> list[CommandRun]:
    found = [
        run
        for name in sorted({operation.origin.session for operation in session.operations})
        for run in runtime.runs.list(RunQuery(limit=_MAX_RUNS, session=name))
    ]
    return sorted(found, key=lambda run: run.number)[-_MAX_RUNS:]


def _run(runtime: Runtime, run: CommandRun) -> Html:
    """Return a command, how it ended, and the first and the last lines that it printed."""
    line = runtime.mask_for_person(run.line)[:_MAX_LINE]
    printed = runtime.mask_for_person(run.output, is_output=True).splitlines()
    if len(printed) > 2 * _SHOWN_LINES:
        printed[_SHOWN_LINES:-_SHOWN_LINES] = ["\u2026"]
    shown = "\n".join(each[:_MAX_LINE] for each in printed)
    return tag(
        "li",
        link(address(f"/run/{run.number}"), tag("code", line)),
        run_badge(run),
        tag("pre", shown, class_="printed") if shown else None,
    )


def _asked(runtime: Runtime, session: WorkSession) -> list[Html]:
    """Return what of the session waited for a person, and what the person answered."""
    names = {operation.origin.session for operation in session.operations}
    now = time.time()
    items: list[tuple[float, Html]] = []
    for held in list_held(runtime, decided=True):
        if held.origin.session in names:
            paths = [display_name(runtime.workspace, path) for path in held.change_set.paths]
            what = ", ".join(paths[:_NAMED]) + (" ..." if len(paths) > _NAMED else "")
            shown = link(address(f"/held/{held.id}"), f"Change {what}")
            items.append((held.time, _question(shown, held.state(now), held.decision)))
    for asked in list_questions(runtime, decided=True):
        if asked.session in names:
            command = runtime.mask_for_person(asked.message).partition("\n")[2].partition("\n")[0]
            shown = link(address(f"/question/{asked.id}"), tag("code", command[:_MAX_LINE]))
            items.append((asked.time, _question(shown, asked.state(now), asked.decision)))
    return [item for _, item in sorted(items, key=lambda found: found[0])]


def _question(shown: Html, state: HeldState, decision: Decision | None) -> Html:
    said = "waits for you" if state is HeldState.WAITING else state.value
    if decision is not None:
        said += f" by {decision.by}" + (f": {decision.reason}" if decision.reason else "")
    return tag("li", shown, tag("span", said, class_="dim"))


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
