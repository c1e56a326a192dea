"""Rulings of the policy on changes, and the stores of what waits for a person's decision."""

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


# The databases in the state directory. A store creates its file at the first write.
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
        """Return the ruling as a JSON object without empty fields."""
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

    `kind` and `reverts` are those of the operation that an approval makes. Times are seconds since
    the epoch.
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
        """Return what became of it by *now*."""
        if self.decision is not None:
            return self.decision.state
        return HeldState.EXPIRED if now >= self.expires else HeldState.WAITING


class Wanted(NamedTuple):
    """A change that a caller asked the editor to make."""

    change_set: ChangeSet
    origin: Origin
    kind: str
    reverts: str | None


class ChangeHolder(Protocol):
    """Keeps changes until a person decides."""

    def settle(
        self, wanted: Wanted, asks: RuleAsks, carry_out: Callable[[HeldChange, str], Operation]
    ) -> Operation:
        """Hold *wanted*, ask the person if the client can, and return the approved operation.

        *carry_out* journals the approval and makes the change. Raises ChangeHeld while it is
        undecided, HeldRefused when the person refused.
        """


class HeldChanges(Protocol):
    """The held changes of one workspace: durable, shared by every process that works on it."""

    def hold(self, change: HeldChange) -> HeldChange:
        """Store *change*; if a change with its id waits or was refused, return that one instead.

        Raises WriteFailed when it cannot be stored, and LimitReached when it is too large or too
        many changes wait.
        """

    def list(self) -> Sequence[HeldChange]:
        """Return every stored change, newest first, without contents."""

    def get(self, held_id: str) -> HeldChange:
        """Return the one held change whose id starts with *held_id*, with contents; UnknownHeld."""

    def deciding(self, held_id: str) -> AbstractContextManager[HeldChange]:
        """Hold the lock under which one process decides; raises UnknownHeld, HeldDecided."""

    def decide(self, held_id: str, decision: Decision) -> HeldChange:
        """Store *decision*; call it only within `deciding`."""

    def take_decisions(self, session: str) -> Sequence[HeldChange]:
        """Return decided changes of *session* that no earlier call has returned."""


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """A question to a person about one command; `message` has the whole command, as it would run.

    The decision applies to this call of this session, once, until `expires`.
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
        """Return what became of it by *now*."""
        if self.decision is not None:
            return self.decision.state
        return HeldState.EXPIRED if now >= self.expires else HeldState.WAITING


class PermissionQuestions(Protocol):
    """The questions of one workspace, shared by every process that works on it.

    Every method raises StoreUnavailable when the store cannot be reached.
    """

    def ask(self, question: PermissionQuestion) -> PermissionQuestion:
        """Store *question*; if its id waits or has an unused decision, return the stored one.

        Raises LimitReached when too many wait.
        """

    def list(self) -> Sequence[PermissionQuestion]:
        """Return every stored question, newest first."""

    def get(self, question_id: str) -> PermissionQuestion:
        """Return one question; UnknownHeld."""

    def decide(
        self, question_id: str, decision: Decision, note: Callable[[PermissionQuestion], object]
    ) -> PermissionQuestion:
        """Call *note*, then store the first decision; HeldDecided for any later one."""

    def use(self, question_id: str) -> bool:
        """Consume the decision; return False if it was consumed before or has expired."""

    def withdraw(self, question_id: str) -> None:
        """Drop a question that still waits."""

    def take_decisions(self, session: str) -> Sequence[PermissionQuestion]:
        """Return decided questions of *session* that no earlier call has returned."""

    def version(self) -> str:
        """Return a version token for polling, which changes with every question and decision."""
