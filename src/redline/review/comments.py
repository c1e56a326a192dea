"""Keep what a person says about a line of a change."""

from __future__ import annotations

import secrets
import time

from redline.core.changes import Change, FileState, State
from redline.core.encodings.opening import open_text
from redline.core.errors import InvalidArgument
from redline.core.line_diff import split_lines
from redline.core.ports.pages import ReviewComment, ReviewComments
from redline.services.comments import check_text
from redline.services.history.export import WorkSession
from redline.services.names import display_name
from redline.services.runtime import Runtime

_MAX_QUOTE = 200


def add_comment(
    runtime: Runtime,
    comments: ReviewComments,
    operation_id: str,
    where: tuple[int, str, int],
    text: str,
    author: str,
) -> ReviewComment:
    """Keep a comment on a line: *where* is the step, the side (old or new) and the line from 1."""
    step_index, side, line = where
    check_text(text, "text", is_needed=True)
    operation = runtime.history.get(operation_id)
    steps = operation.change_set.steps
    step = steps[step_index] if 0 <= step_index < len(steps) else None
    if side not in ("old", "new") or not isinstance(step, Change):
        raise InvalidArgument("There is no such line in this change", field="line")
    lines = _lines(_side(step, side))
    if not 0 < line <= len(lines):
        raise InvalidArgument(f"There is no such line in this change: {line}", field="line")
    comment = ReviewComment(
        secrets.token_hex(4),
        time.time(),
        operation.id,
        operation.origin.session,
        display_name(runtime.workspace, step.path),
        side,
        line,
        _quote(lines[line - 1]),
        text.strip(),
        author,
    )
    comments.add(comment)
    return comment


def comment_on_session(
    runtime: Runtime,
    session: WorkSession,
    where: tuple[int, str, int],
    text: str,
    author: str,
) -> ReviewComment:
    """Keep a comment on a line of a session's combined change, with the change that has the line.

    InvalidArgument where none of its changes has it, as where others wrote in between.
    """
    step_index, side, line = where
    steps = session.combined.change_set.steps
    step = steps[step_index] if 0 <= step_index < len(steps) else None
    lines = _lines(_side(step, side)) if isinstance(step, Change) else []
    if not 0 < line <= len(lines):
        raise InvalidArgument(f"There is no such line in this session: {line}", field="line")
    assert isinstance(step, Change)
    quote = _quote(lines[line - 1])
    ordered = session.operations if side == "old" else session.operations[::-1]
    for operation in ordered:
        if operation.kind != "change" or step.path not in operation.change_set.paths:
            continue
        for number, own in enumerate(runtime.history.get(operation.id).change_set.steps):
            if not isinstance(own, Change) or own.path != step.path:
                continue
            near = find_line(_side(own, side), line, quote)
            if near is not None:
                place = number, side, near
                return add_comment(runtime, runtime.comments, operation.id, place, text, author)
    raise InvalidArgument(
        "No change of this session has this line", field="line", hint="comment on a single change"
    )


def find_line(state: State, line: int, quote: str) -> int | None:
    """Return the line nearest to *line* that reads *quote*; None without one."""
    found = [number for number, text in enumerate(_lines(state), 1) if _quote(text) == quote]
    return min(found, key=lambda number: abs(number - line), default=None)


def _side(step: Change, side: str) -> State:
    return step.before if side == "old" else step.after


def _quote(line: str) -> str:
    return line.strip()[:_MAX_QUOTE]


def _lines(state: State) -> list[str]:
    if not isinstance(state, FileState) or state.content is None:
        return []
    view = open_text(state.content).view
    return [line.decode("utf-8", "replace") for line in split_lines(view)]
