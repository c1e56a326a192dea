"""Questions about commands: list them, allow or deny one.

No tool calls this module: an agent cannot answer its own questions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from redline.core.ports.history import Origin
from redline.core.ports.review import Decision, HeldState, PermissionQuestion
from redline.core.text_limits import shorten
from redline.services.review.deciding import check_decision
from redline.services.runtime import Runtime

_MAX_SUMMARY = 200


def list_questions(runtime: Runtime, *, decided: bool = False) -> Sequence[PermissionQuestion]:
    """Return the questions that wait, oldest first; with *decided* all that are kept."""
    now = time.time()
    found = [
        each for each in runtime.questions.list() if decided or each.state(now) is HeldState.WAITING
    ]
    return found[::-1]


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
