"""Rules about changes, and changes that wait for a person's decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from redline.core.changes import ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin


class Action(StrEnum):
    """What a rule says about a change, from the mildest to the strictest."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says about one place of a change.

    `path` is shown to people. `field` is the value inside a document that decided, empty where the
    whole file did. `rule` is its name; `line` is where it begins in the policy file, 0 for the
    default. `reason` is the sentence that the policy gives.
    """

    action: Action
    path: str
    rule: str
    line: int = 0
    reason: str = ""
    field: str = ""

    def wire(self) -> dict[str, str | int]:
        """As a JSON object, without empty fields."""
        found: dict[str, str | int] = {
            "action": self.action.value,
            "path": self.path,
            "rule": self.rule,
            "line": self.line,
            "reason": self.reason,
            "field": self.field,
        }
        return {key: value for key, value in found.items() if value}


class RuleOutcome(StrEnum):
    """What becomes of a rule: passed over, decides for certain, or decides in some cases."""

    PASSES = "passes"
    DECIDES = "decides"
    MAY_DECIDE = "may decide"


@dataclass(frozen=True, slots=True)
class RuleReport:
    """One rule and why it does or does not decide about a place; line 0 is the default."""

    action: Action
    rule: str
    line: int
    outcome: RuleOutcome
    why: str


class HeldState(StrEnum):
    """What became of a held change; only a waiting one can be decided."""

    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided; `operation` is the id of the change that an approval made."""

    state: HeldState
    by: str
    time: float
    reason: str = ""
    operation: str = ""
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class HeldChange:
    """A change that waits for a person: who wants it, what it is, and which rules hold it.

    `kind` and `reverts` are those that the operation would have. Times are seconds since the epoch.
    """

    id: str
    time: float
    expires: float
    origin: Origin
    change_set: ChangeSet
    rulings: tuple[Ruling, ...]
    kind: str = "change"
    reverts: str | None = None
    decision: Decision | None = None

    def state(self, now: float) -> HeldState:
        """What became of it by *now*."""
        if self.decision is not None:
            return self.decision.state
        return HeldState.EXPIRED if now >= self.expires else HeldState.WAITING


class HeldChanges(Protocol):
    """The held changes of one workspace: durable, shared by every process that works on it."""

    def hold(self, change: HeldChange) -> HeldChange:
        """Keep *change*; where one of that id waits or was refused already, return that one.

        WriteFailed when it cannot be written, LimitReached when it is too large to be kept.
        """

    def list(self) -> Sequence[HeldChange]:
        """Every held change that is kept, newest first, contents not loaded."""

    def get(self, held_id: str) -> HeldChange:
        """The held change whose id starts with *held_id*, with contents; UnknownHeld."""

    def deciding(self, held_id: str) -> AbstractContextManager[HeldChange]:
        """Keep every other decider of this change away; UnknownHeld, HeldDecided."""

    def decide(self, held_id: str, decision: Decision) -> HeldChange:
        """Write a decision down; only within `deciding`."""

    def take_decisions(self, session: str) -> Sequence[HeldChange]:
        """Decided changes that *session* asked for and was not yet informed of; each once."""


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """What a person is asked about one command: `message` is all of it, as it would run.

    The answer holds for this very call of this session, once, until `expires`.
    """

    id: str
    time: float
    expires: float
    tool: str
    client: str
    principal: str
    session: str
    message: str
    decision: Decision | None = None

    def state(self, now: float) -> HeldState:
        """What became of it by *now*."""
        if self.decision is not None:
            return self.decision.state
        return HeldState.EXPIRED if now >= self.expires else HeldState.WAITING


class PermissionQuestions(Protocol):
    """The questions of one workspace, shared by every process that works on it.

    StoreUnavailable.
    """

    def ask(self, question: PermissionQuestion) -> PermissionQuestion:
        """Keep *question*; where one of that id waits, or is decided and not used, return that.

        LimitReached when too many wait.
        """

    def list(self) -> Sequence[PermissionQuestion]:
        """Every question that is kept, newest first."""

    def get(self, question_id: str) -> PermissionQuestion:
        """One question; UnknownHeld."""

    def decide(
        self, question_id: str, decision: Decision, note: Callable[[PermissionQuestion], object]
    ) -> PermissionQuestion:
        """Write the first decision down, after *note* has; HeldDecided for any later one."""

    def use(self, question_id: str) -> bool:
        """Use the decision up; False where it was used before or has expired."""

    def withdraw(self, question_id: str) -> None:
        """Drop a question that still waits."""

    def take_decisions(self, session: str) -> Sequence[PermissionQuestion]:
        """Decided questions of *session* that it was not yet informed of; each once."""

    def version(self) -> str:
        """A text that changes with every question and decision."""


class ChangeRules(Protocol):
    """The rules of the policy."""

    def judge_steps(
        self,
        change_set: ChangeSet,
        origin: Origin,
        load: Callable[[FileState], FileState],
        *,
        alone: bool = False,
    ) -> Sequence[Ruling]:
        """The strictest ruling on each step of a change set that renames nothing.

        *load* gives the content of a new state. With *alone* the size of each step counts, not
        that of the whole set. PolicyUnreadable.
        """

    def concerns(self, path: WorkspacePath) -> bool:
        """Whether a rule names this place, or places beneath it, to hold or deny changes there."""

    def sealed_places(self, origin: Origin) -> Sequence[WorkspacePath]:
        """Directories in which every change by *origin* is denied, whatever it is."""

    def hold_for(self) -> float:
        """For how many seconds a change is held."""

    def is_active(self) -> bool:
        """Whether anything is ever held or denied. PolicyUnreadable."""

    def explain(
        self, path: WorkspacePath, origin: Origin, steps: tuple[str, ...] | None
    ) -> Sequence[RuleReport]:
        """What each rule says about a place, or a value in it, up to the one that decides.

        PolicyUnreadable.
        """
