"""Comments on lines: an agent reads and resolves what a person says about its changes."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import InvalidArgument
from redline.core.ports.pages import ReviewComment, ReviewComments

MAX_TEXT = 4000


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
