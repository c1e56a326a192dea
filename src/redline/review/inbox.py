"""What people said to the session of a client, as texts for its next answer; each once."""

from __future__ import annotations

import os
from collections.abc import Callable

from redline.core.errors import RedlineError
from redline.core.ports import review as ports
from redline.core.ports.pages import ReviewComments
from redline.core.wording import quote
from redline.services.comments import announce_comments


class SessionInbox:
    """See `core.ports.pages.Inbox`: a store is opened once its file is in the state directory."""

    def __init__(
        self,
        state_dir: str,
        held: Callable[[], ports.HeldChanges],
        questions: Callable[[], ports.PermissionQuestions],
        comments: Callable[[], ReviewComments],
    ) -> None:
        self._held = held
        self._questions = questions
        self._comments = comments
        self._readers = [
            (os.path.join(state_dir, ports.HELD_FILE), self._decisions),
            (os.path.join(state_dir, ports.QUESTIONS_FILE), self._answers),
            (os.path.join(state_dir, ports.COMMENTS_FILE), self._announce),
        ]

    def take(self, session: str, warn: Callable[[str], None]) -> list[str]:
        """Return decisions about changes, answers about commands, and comments on lines."""
        texts = []
        for path, read in self._readers:
            if not os.path.exists(path):
                continue
            try:
                text = read(session)
            except RedlineError as failure:
                warn(f"what a person said about changes cannot be read: {failure.message}")
                continue
            if text:
                texts.append(text)
        return texts

    def _decisions(self, session: str) -> str:
        return "\n".join(map(_describe_decision, self._held().take_decisions(session)))

    def _answers(self, session: str) -> str:
        return "\n".join(map(_describe_answer, self._questions().take_decisions(session)))

    def _announce(self, session: str) -> str:
        found = self._comments().take_undelivered(session)
        return announce_comments(found) if found else ""


def _describe_decision(held: ports.HeldChange) -> str:
    decision = held.decision
    assert decision is not None
    about = f"Held change {held.id} was {decision.state.value} by {quote(decision.by)}"
    if decision.reason:
        about += f": {quote(decision.reason)}"
    if decision.is_edited:
        about += ", with other contents than asked for: read the files again"
    return f"{about}." if not decision.operation else f"{about}; it is change {decision.operation}."


def _describe_answer(question: ports.PermissionQuestion) -> str:
    decision = question.decision
    assert decision is not None
    is_allowed = decision.state is ports.HeldState.APPROVED
    what = "allowed; make the same call again" if is_allowed else "denied"
    reason = f": {quote(decision.reason)}" if decision.reason else ""
    command = question.message.partition("\n")[2].partition("\n")[0]
    return f"A call of {question.tool} was {what}, by {quote(decision.by)}{reason} ({command})."
