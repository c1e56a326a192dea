"""What people said to the session of a client, as texts for its next answer; each once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redline.core.errors import RedlineError
from redline.core.ports.pages import ReviewComments
from redline.core.ports.review import (
    HeldChange,
    HeldChanges,
    HeldState,
    PermissionQuestion,
    PermissionQuestions,
)
from redline.core.wording import quote
from redline.services.comments import announce_comments


class SessionInbox:
    """See `core.ports.pages.Inbox`."""

    def __init__(
        self, held: HeldChanges, questions: PermissionQuestions, comments: ReviewComments
    ) -> None:
        self._held = held
        self._questions = questions
        self._comments = comments

    def take(self, session: str, warn: Callable[[str], None]) -> Iterator[str]:
        """Yield decisions about changes, answers about commands, and comments on lines."""
        for read in (self._decisions, self._answers, self._announce):
            try:
                text = read(session)
            except RedlineError as failure:
                warn(f"what a person said about changes cannot be read: {failure.message}")
                continue
            if text:
                yield text

    def _decisions(self, session: str) -> str:
        return "\n".join(map(_describe_decision, self._held.take_decisions(session)))

    def _answers(self, session: str) -> str:
        return "\n".join(map(_describe_answer, self._questions.take_decisions(session)))

    def _announce(self, session: str) -> str:
        found = self._comments.take_undelivered(session)
        return announce_comments(found) if found else ""


def _describe_decision(held: HeldChange) -> str:
    decision = held.decision
    assert decision is not None
    about = f"Held change {held.id} was {decision.state.value} by {quote(decision.by)}"
    if decision.reason:
        about += f": {quote(decision.reason)}"
    if decision.is_edited:
        about += ", with other contents than asked for: read the files again"
    return f"{about}." if not decision.operation else f"{about}; it is change {decision.operation}."


def _describe_answer(question: PermissionQuestion) -> str:
    decision = question.decision
    assert decision is not None
    is_allowed = decision.state is HeldState.APPROVED
    what = "allowed; make the same call again" if is_allowed else "denied"
    reason = f": {quote(decision.reason)}" if decision.reason else ""
    command = question.message.partition("\n")[2].partition("\n")[0]
    return f"A call of {question.tool} was {what}, by {quote(decision.by)}{reason} ({command})."
