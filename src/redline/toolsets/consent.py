"""Ask a person for consent: exactly and wholly what will happen, in a text nothing can forge.

Names, reasons and contents come from the agent or the repository. Each is quoted on one line, with
every character a reader could not see escaped. What is too long to be shown is refused, not cut.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from redline.core.changes import ChangeSet
from redline.core.errors import GuardedWrite, PermissionDenied, PermissionRequired, RuleAsks
from redline.core.wording import escape_unseen, quote
from redline.plan.describe import diff_of
from redline.toolsets.call import Answer, Call, Question

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
    """A hash of JSON values that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def decision_question(message: str, key: str) -> Question:
    """Allow or deny, denied unless the person chooses otherwise; PermissionDenied if too long."""
    if len(message) > MAX_MESSAGE:
        raise PermissionDenied(
            f"Too long to be shown to a person: {len(message)} characters,"
            f" at most {MAX_MESSAGE} are",
            hint="make it shorter: put a long script into a file, split a large change",
            details={"limit": MAX_MESSAGE},
        )
    return Question(message, _DECISION, key)


def is_agreed(answer: Answer) -> bool:
    """Whether the person allowed it."""
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
