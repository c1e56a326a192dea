"""Enforce the policy on what a command changed: put back what is denied, hold what is asked about.

The command has run by then. What it changed is in the journal as its own operation; putting back
is another one.
"""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import Absent, Change, ChangeSet, DirState, FileState
from redline.core.errors import HeldRefused, PolicyUnreadable, RedlineError, Refused
from redline.core.paths import WorkspacePath
from redline.core.ports.history import ChangeEditor, Origin
from redline.core.ports.review import Action, ChangeRules, HeldState, Ruling
from redline.engine.holding import Holding, Wanted, refusal_text

_SHOWN = 5
# The client and session of what rules put back.
POLICY = "policy"


class CommandRules:
    """The policy for commands."""

    def __init__(self, rules: ChangeRules, holding: Holding, editor: ChangeEditor) -> None:
        self._rules = rules
        self._holding = holding
        self._editor = editor

    def require_sight(self, blindness: str) -> None:
        """Refuse to start a command whose changes cannot be compared with the rules."""
        if self._rules.is_active() and blindness:
            raise Refused(
                f"The policy cannot be enforced on what a command changes here: {blindness}",
                hint="start the server on a smaller directory, or use the file tools",
            )

    def is_active(self) -> bool:
        """Whether there are rules to enforce; a policy that cannot be read is one."""
        try:
            return self._rules.is_active()
        except PolicyUnreadable:
            return True

    def sealed_places(self, origin: Origin) -> tuple[WorkspacePath, ...]:
        """Directories that a command need not be able to write in: all of it would be put back."""
        try:
            return tuple(self._rules.sealed_places(origin))
        except PolicyUnreadable:
            return ()

    def enforce(self, change_set: ChangeSet, origin: Origin) -> list[str]:
        """Take back what the policy does not allow; what to say about it."""
        steps = [step for step in change_set.steps if isinstance(step, Change)]
        try:
            rulings = list(self._rules.judge_steps(ChangeSet(tuple(steps)), origin))
        except PolicyUnreadable as error:
            rulings = [Ruling(Action.DENY, "", "policy", 0, error.message)] * len(steps)
        judged = _with_surroundings(_with_moved(list(zip(steps, rulings, strict=True))))
        unwanted = [step for step, ruling in judged if ruling.action is not Action.ALLOW]
        if not unwanted:
            return []
        notes: list[str] = []
        if failed := self._put_back(unwanted, origin):
            names = ", ".join(failed[:_SHOWN])
            notes.append(f"COULD NOT BE PUT BACK, although the policy does not allow it: {names}")
        notes += self._describe_denied(judged)
        return notes + self._hold(judged, origin)

    def _put_back(self, steps: Sequence[Change], origin: Origin) -> list[str]:
        """Undo these steps, together or else one by one; the names of those that resist."""
        summary = f"put back what a rule does not allow {origin.tool} to change"
        own = Origin(POLICY, POLICY, "", summary, POLICY, lambda *_: True, as_owner=True)
        try:
            self._editor.commit(ChangeSet(tuple(steps)).inverse(), own)
        except RedlineError:
            return [
                step.path.relative for step in reversed(steps) if not self._put_one_back(step, own)
            ]
        return []

    def _put_one_back(self, step: Change, own: Origin) -> bool:
        try:
            self._editor.commit(ChangeSet((step.inverse(),)), own)
        except RedlineError:
            return False
        return True

    def _describe_denied(self, judged: Sequence[tuple[Change, Ruling]]) -> list[str]:
        found = [
            (step.path.relative, ruling) for step, ruling in judged if ruling.action is Action.DENY
        ]
        if not found:
            return []
        rule = _describe_rule(found[0][1])
        return [f"Put back, because {rule} denies it: {_list([name for name, _ in found])}"]

    def _hold(self, judged: Sequence[tuple[Change, Ruling]], origin: Origin) -> list[str]:
        asked = [(step, ruling) for step, ruling in judged if ruling.action is Action.ASK]
        if not asked:
            return []
        steps = tuple(step for step, _ in asked)
        try:
            held = self._holding.hold(
                Wanted(ChangeSet(steps), origin, "change", None),
                tuple(dict.fromkeys(ruling for _, ruling in asked)),
            )
        except (HeldRefused, RedlineError) as error:
            return [f"Put back and not held: {error.message}"]
        names = _list([step.path.relative for step in steps])
        if held.decision is not None and held.decision.state is HeldState.REFUSED:
            return [f"Put back: {names}: {refusal_text(held)}"]
        rule = _describe_rule(asked[0][1])
        return [
            (
                f"Held for a person as {held.id}, because {rule} asks; put back until then:"
                f" {names}; the person decides with: redline held show {held.id}"
            )
        ]


def _with_moved(judged: list[tuple[Change, Ruling]]) -> list[tuple[Change, Ruling]]:
    """Give the removal of a file the ruling of what has its content: else that is nowhere."""
    unwanted = {
        step.after.digest: ruling
        for step, ruling in judged
        if ruling.action is not Action.ALLOW and isinstance(step.after, FileState)
    }
    return [
        (step, unwanted.get(step.before.digest, ruling))
        if ruling.action is Action.ALLOW
        and isinstance(step.before, FileState)
        and isinstance(step.after, Absent)
        else (step, ruling)
        for step, ruling in judged
    ]


def _with_surroundings(judged: list[tuple[Change, Ruling]]) -> list[tuple[Change, Ruling]]:
    """Give steps that cannot go without another the ruling of that one.

    What lies in a directory that goes away again goes too; a directory that a file comes back to
    comes back too.
    """
    gone = {
        step.path: ruling
        for step, ruling in judged
        if ruling.action is not Action.ALLOW
        and isinstance(step.before, Absent)
        and isinstance(step.after, DirState)
    }
    back = {
        step.path: ruling
        for step, ruling in judged
        if ruling.action is not Action.ALLOW and not isinstance(step.before, Absent)
    }
    found: list[tuple[Change, Ruling]] = []
    for step, ruling in judged:
        if ruling.action is Action.ALLOW:
            for top, other in gone.items():
                if step.path.is_beneath(top):
                    ruling = other
            if isinstance(step.after, Absent) and isinstance(step.before, DirState):
                for inner, other in back.items():
                    if inner.is_beneath(step.path):
                        ruling = other
        found.append((step, ruling))
    return found


def _describe_rule(ruling: Ruling) -> str:
    where = f" (line {ruling.line})" if ruling.line else ""
    reason = f", {ruling.reason}" if ruling.reason else ""
    name = ruling.rule if ruling.line else "the default of the policy"
    return f"{name}{where}{reason}"


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
