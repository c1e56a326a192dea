"""Comments on lines: written by a person, returned once to the session that made the change."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

from redline.core.changes import Change, FileState, State
from redline.core.encodings.opening import open_text
from redline.core.errors import InvalidArgument
from redline.core.line_diff import split_lines
from redline.core.ports.pages import ReviewComment, ReviewComments
from redline.services.names import display_name
from redline.services.runtime import Runtime

MAX_TEXT = 4000
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


def check_text(text: str, field: str, *, is_needed: bool) -> None:
    """Refuse what is too long to be kept, and where it is needed, nothing."""
    if len(text) > MAX_TEXT or (is_needed and not text.strip()):
        least = 1 if is_needed else 0
        raise InvalidArgument(f"A comment has {least} to {MAX_TEXT} characters", field=field)


def read_comments(comments: ReviewComments, session: str, *, everyone: bool) -> list[ReviewComment]:
    """Return the open comments for a session, or for *everyone*; no later answer repeats them."""
    comments.take_undelivered(session)
    return [c for c in comments.list(open_only=True) if everyone or c.session == session]


def resolve_comment(
    comments: ReviewComments, comment_id: str, by: str, answer: str
) -> ReviewComment:
    """Close a comment, with what the agent has to say about it. InvalidArgument."""
    check_text(answer, "answer", is_needed=False)
    return comments.resolve(comment_id, by, answer)


def announce_comments(comments: Sequence[ReviewComment]) -> str:
    """Return comments as a remark after an answer."""
    hint = (
        "hint: to close one, pass its id as resolve, with an answer, to review_comments or changes"
    )
    return f"note: a person commented on your changes\n{describe_comments(comments)}\n{hint}"


def describe_comments(comments: Sequence[ReviewComment]) -> str:
    """Return comments as text for an agent."""
    return "\n".join(describe_comment(comment) for comment in comments)


def describe_comment(comment: ReviewComment) -> str:
    """Return one comment as text for an agent."""
    version = " (before the change)" if comment.side == "old" else ""
    where = f"{comment.path}:{comment.line}{version}"
    lines = [
        f"comment {comment.id} on {where} of change {comment.operation}:",
        f"  > {comment.quote}",
        *(f"  {line}" for line in comment.text.splitlines()),
    ]
    if comment.resolved_by:
        lines.append(f"  resolved by {comment.resolved_by}: {comment.answer}".rstrip(": "))
    return "\n".join(lines)


def _lines(state: State) -> list[str]:
    if not isinstance(state, FileState) or state.content is None:
        return []
    view = open_text(state.content).view
    return [line.decode("utf-8", "replace") for line in split_lines(view)]
