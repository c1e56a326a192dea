"""Write down what a person decides about a command, at the client or on the review page."""

from __future__ import annotations

import time

from redline.core.errors import InvalidArgument
from redline.core.ports.history import Origin
from redline.core.ports.review import Decision, HeldState, PermissionQuestion
from redline.core.text_limits import shorten
from redline.services.runtime import Runtime

_MAX_NAME = 200
_MAX_REASON = 2000
_MAX_SUMMARY = 200


def answer_question(
    runtime: Runtime, question_id: str, by: str, *, is_allowed: bool, reason: str = ""
) -> PermissionQuestion:
    """Allow or deny a command and write down that *by* did; the agent gets *reason*.

    HeldDecided when another answer was first or the question has expired, UnknownHeld.
    """
    check_decision(by, reason)
    state = HeldState.APPROVED if is_allowed else HeldState.REFUSED

    def note(question: PermissionQuestion) -> None:
        # Written down first: a permission that is not in the journal is not given.
        because = f" ({reason})" if reason else ""
        summary = f"{'allowed' if is_allowed else 'denied'} {question.id}{because}: "
        summary += shorten(" ".join(question.message.split("\n")), _MAX_SUMMARY)
        runtime.editor.note_grant(Origin("question", "review", by, summary))

    return runtime.questions.decide(question_id, Decision(state, by, time.time(), reason), note)


def check_decision(by: str, reason: str = "") -> None:
    """Refuse a decision without the name of a person, or with a very long reason."""
    if not by.strip() or not by.isprintable() or len(by) > _MAX_NAME:
        raise InvalidArgument("Who decides is a name of 1 to 200 printable characters", field="by")
    if len(reason) > _MAX_REASON:
        raise InvalidArgument(f"A reason has at most {_MAX_REASON} characters", field="reason")
