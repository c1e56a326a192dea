"""Ask a person for consent: exactly and wholly what will happen, in a text nothing can forge.

Names, reasons and contents come from the agent or the repository. Each is quoted on one line, with
every character a reader could not see escaped. What is too long to be shown is refused, not cut.

A command is asked about at the client and on the review page; the first answer counts.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from typing import Any

from redline.core.access.rights import Right
from redline.core.changes import ChangeSet
from redline.core.errors import (
    GuardedWrite,
    HeldDecided,
    PermissionDenied,
    PermissionRequired,
    RedlineError,
    RuleAsks,
    UnknownHeld,
)
from redline.core.ports.review import Decision, HeldState, PermissionQuestion
from redline.core.ports.session_memory import Grant
from redline.core.records import replace
from redline.core.wording import escape_unseen, quote
from redline.plan.describe import diff_of
from redline.services.questions import answer_question
from redline.services.runtime import Runtime
from redline.toolsets.call import Answer, Call, Question, session_of
from redline.toolsets.tool import Client

MAX_MESSAGE = 16_000
_DECISION = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Decision",
            "enum": ["allow", "deny"],
            "default": "deny",
        }
    },
    "required": ["decision"],
}


def digest_of(*values: Any) -> str:
    """Return a hash of JSON values that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def decision_question(message: str, key: str) -> Question:
    """Allow or deny, denied unless the person chooses otherwise; PermissionDenied if too long."""
    if len(message) > MAX_MESSAGE:
        raise PermissionDenied(
            f"Too long to show to a person: {len(message)} characters, the limit is {MAX_MESSAGE}",
            hint="make it shorter: put a long script into a file, split a large change",
            details={"limit": MAX_MESSAGE},
        )
    return Question(message, _DECISION, key)


def is_agreed(answer: Answer) -> bool:
    """Return whether the person allowed it."""
    return answer.accepted and answer.content.get("decision") == "allow"


class AskConsent:
    """See `core.ports.history.Consent`: asks within the call that makes the change."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __call__(self, refused: PermissionRequired, change_set: ChangeSet, /) -> bool | None:
        """Ask; the answer holds for this change, as it was shown, and for nothing else."""
        assert self._call.ask is not None
        if isinstance(refused, GuardedWrite):
            message = self._message(refused, change_set)
        elif isinstance(refused, RuleAsks):
            message = self._rule_message(refused, change_set)
        else:
            return None
        # Bound to the text: on a stateless connection the call runs again with the answer, and
        # must then come to the same change.
        question = decision_question(message, f"consent-{digest_of(message)[:16]}")
        answer = self._call.ask(question)
        if isinstance(refused, RuleAsks) and answer.action == "cancel":
            return None  # nobody decided: it stays held
        return is_agreed(answer)

    def _rule_message(self, asks: RuleAsks, change_set: ChangeSet) -> str:
        lines = [f"Approve this change of {self._call.tool.name}?"]
        for ruling in asks.rulings:
            because = f", {escape_unseen(ruling.reason)}" if ruling.reason else ""
            where = f" (line {ruling.line})" if ruling.line else ""
            named = f"{quote(ruling.path)} {quote(ruling.field) if ruling.field else ''}".strip()
            lines.append(f"{named}: {escape_unseen(ruling.rule)}{where}{because}")
        return "\n".join([*lines, "Change:", *_diff_lines(change_set)])

    def _message(self, refused: GuardedWrite, change_set: ChangeSet) -> str:
        guarded = {each.path for each in refused.guarded}
        steps = tuple(step for step in change_set.steps if guarded.intersection(step.paths))
        others = len(change_set.steps) - len(steps)
        lines = [
            f"Allow {self._call.tool.name} to change what your own tools run by themselves?",
            *(
                f"{quote(path)}: {escape_unseen(each.reason)}"
                for path, each in zip(refused.paths, refused.guarded, strict=True)
            ),
            f"Change ({others} other steps not shown):" if others else "Change:",
        ]
        return "\n".join([*lines, *_diff_lines(ChangeSet(steps))])


def _diff_lines(change_set: ChangeSet) -> list[str]:
    diff = diff_of(change_set, lambda path: quote(path.relative))
    return [f"| {escape_unseen(line)}" for line in diff.split("\n") if line]


# For how long a question waits on the page, and its answer for the call to be made again.
_ASKED_SECONDS = 3600.0
_MAX_WAIT = 600.0
_POLL_SECONDS = 0.1
ON_PAGE = (
    "the person can allow this very call on the review page (redline review); make it again then"
)


def ask_for_call(call: Call, permissions: Sequence[str], description: str) -> None:
    """Ask for *permissions* within the very call that needs them; PermissionDenied."""
    wanted, tool = ", ".join(permissions), call.tool.name
    message = _message(permissions, description)
    # Bound to the text: the call may run again with the answer, and must then be the same.
    question = decision_question(message, f"permission-{digest_of(message)[:16]}")
    decision = ask_person(call, question, f"{wanted} for {tool}, one call")
    if decision is None or decision.state is not HeldState.APPROVED:
        raise _denial(wanted, decision)


def is_allowed_on_page(call: Call, permissions: Sequence[str], description: str) -> bool:
    """Whether a person allowed this very call on the page, where it is put; PermissionDenied."""
    try:
        question = decision_question(_message(permissions, description), "")
    except PermissionDenied:
        return False  # too long to be shown
    posted = _post(call, question)
    decision = None if posted is None else _wait_for_page(call, posted)
    if decision is None:
        return False
    if decision.state is not HeldState.APPROVED:
        raise _denial(", ".join(permissions), decision)
    return True


def ask_person(call: Call, question: Question, summary: str) -> Decision | None:
    """Ask at the client and on the page; None where a person decided nothing.

    *summary* is what the journal says about a permission that is given at the client; without one
    the caller writes it down.
    """
    assert call.ask is not None
    posted = _post(call, question)
    if posted is None:
        return _journal(call, _read(call, call.ask(question)), summary)
    questions = call.runtime.questions
    if posted.decision is None:
        answer = call.ask(
            replace(question, elsewhere=lambda: _look(call, posted.id), posted=posted.id)
        )
        given = _read(call, answer)
        if given is None:
            questions.withdraw(posted.id)
        else:
            try:
                questions.decide(posted.id, given, lambda _: _journal(call, given, summary))
            except (HeldDecided, UnknownHeld):
                pass  # another answer was first: that one counts
    return _use(call, posted.id)


def take_late_answer(runtime: Runtime, client: Client, question_id: str, answer: Answer) -> bool:
    """Write down what the person answered when the server that asked was gone; whether it counts.

    The call is made again then, and finds the answer. Only the client that was asked can answer.
    """
    try:
        question = runtime.questions.get(question_id)
    except RedlineError:
        return False
    is_theirs = (question.session, question.principal) == (session_of(client), client.principal)
    if not is_theirs or Right.APPROVE not in client.rights or answer.action == "cancel":
        return False
    by = client.principal or f"the person at {client.name or 'the client'}"
    try:
        answer_question(runtime, question_id, by, is_allowed=is_agreed(answer))
    except RedlineError:
        return False  # another answer was first, or came too late
    return True


class AskPermits:
    """See `services.commands.check.Permits`: the person is asked within the call.

    The person is shown *description*, which is the whole command; *hint* is for a client that
    cannot show a question.
    """

    def __init__(self, call: Call, description: str, hint: str) -> None:
        self._call = call
        self._description = description
        self._hint = hint

    def consume(self, _permission: str) -> Grant | None:
        """Return None: nothing is granted ahead of a call."""
        return None

    @property
    def can_ask(self) -> bool:
        """Whether this client can show a question."""
        return self._call.ask is not None

    def ask(self, permissions: Sequence[str]) -> None:
        """Show the person the whole command; PermissionDenied."""
        ask_for_call(self._call, permissions, self._description)

    def is_allowed_on_page(self, permissions: Sequence[str]) -> bool:
        """Put the whole command on the review page; PermissionDenied."""
        return is_allowed_on_page(self._call, permissions, self._description)

    def hint(self, _permission: str) -> str:
        """Say who could allow it, as this client cannot ask."""
        return f"{self._hint}; {ON_PAGE}"


def _message(permissions: Sequence[str], description: str) -> str:
    return f"Allow {', '.join(permissions)} for this command?\n{description}"


def _denial(wanted: str, decision: Decision | None) -> PermissionDenied:
    by = "the person" if decision is None else decision.by
    reason = f": {quote(decision.reason)}" if decision is not None and decision.reason else ""
    return PermissionDenied(
        f"Permission denied by {by}: {wanted}{reason}", hint="do it another way"
    )


def _post(call: Call, question: Question) -> PermissionQuestion | None:
    """Put a question on the page; None where that is not possible."""
    origin, now = call.origin(), time.time()
    asker = session_of(call.client), call.client.principal, call.tool.name
    wanted = PermissionQuestion(
        digest_of(*asker, question.message)[:12],
        now,
        now + _ASKED_SECONDS,
        call.tool.name,
        origin.client,
        origin.principal,
        origin.session,
        question.message,
    )
    try:
        return call.runtime.questions.ask(wanted)
    except RedlineError:
        return None


def _look(call: Call, question_id: str) -> Answer | None:
    """Return what a person answered on the page, if one did."""
    try:
        decision = call.runtime.questions.get(question_id).decision
    except RedlineError:
        return None
    if decision is None:
        return None
    chosen = "allow" if decision.state is HeldState.APPROVED else "deny"
    return Answer("accept", {"decision": chosen})


def _wait_for_page(call: Call, posted: PermissionQuestion) -> Decision | None:
    """Wait as long as the client wants to for an answer on the page."""
    end = time.monotonic() + min(call.wait, _MAX_WAIT)
    while posted.decision is None and time.monotonic() < end:
        call.cancel.check()
        time.sleep(_POLL_SECONDS)
        posted = call.runtime.questions.get(posted.id)
    return None if posted.decision is None else _use(call, posted.id)


def _use(call: Call, question_id: str) -> Decision | None:
    """Return a decision, which is used up: the same call is asked about again."""
    questions = call.runtime.questions
    try:
        decision = questions.get(question_id).decision
    except UnknownHeld:
        return None
    return decision if decision is not None and questions.use(question_id) else None


def _read(call: Call, answer: Answer) -> Decision | None:
    """Return what the person at the client decided; None for a cancelled question."""
    if answer.action == "cancel":
        return None
    by = call.client.principal or f"the person at {call.client.name or 'the client'}"
    state = HeldState.APPROVED if is_agreed(answer) else HeldState.REFUSED
    return Decision(state, by, time.time())


def _journal(call: Call, decision: Decision | None, summary: str) -> Decision | None:
    """Write a permission down before it is given: one that is not in the journal is not."""
    if summary and decision is not None and decision.state is HeldState.APPROVED:
        call.runtime.editor.note_grant(call.origin(summary))
    return decision
