"""What rules say about changes, and what waits for a person's decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from redline.core.changes import ChangeSet
from redline.core.ports.history import Operation, Origin
from redline.core.records import dataclass

if TYPE_CHECKING:
    from redline.core.errors import RuleAsks


# The files of the stores, in the state directory: a store that was never written has none.
HELD_FILE, QUESTIONS_FILE, COMMENTS_FILE = "held.db", "questions.sqlite", "comments.sqlite"


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


class Wanted(NamedTuple):
    """A change as the editor was asked for it."""

    change_set: ChangeSet
    origin: Origin
    kind: str
    reverts: str | None


class ChangeHolder(Protocol):
    """Keeps changes until a person decides."""

    def settle(
        self, wanted: Wanted, asks: RuleAsks, carry_out: Callable[[HeldChange, str], Operation]
    ) -> Operation:
        """Hold what is *wanted*, ask the person where that is possible, and return what came of it.

        *carry_out* journals the approval and makes the change. ChangeHeld, HeldRefused.
        """


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
