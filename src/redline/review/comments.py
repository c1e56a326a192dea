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
    lines = _lines(step.before if side == "old" else step.after)
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
        lines[line - 1].strip()[:_MAX_QUOTE],
        text.strip(),
        author,
    )
    comments.add(comment)
    return comment


def _lines(state: State) -> list[str]:
    if not isinstance(state, FileState) or state.content is None:
        return []
    view = open_text(state.content).view
    return [line.decode("utf-8", "replace") for line in split_lines(view)]
