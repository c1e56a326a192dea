"""What the rules of the policy offer to the rest of this room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol

from redline.core.changes import ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from redline.core.ports.review import Action, Ruling
from redline.core.records import dataclass


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
        """Return the strictest ruling on each step of a change set that renames nothing.

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
        """Return whether anything is ever held or denied. PolicyUnreadable."""

    def explain(
        self, path: WorkspacePath, origin: Origin, steps: tuple[str, ...] | None
    ) -> Sequence[RuleReport]:
        """Return what each rule says about a place, or a value in it, up to the one that decides.

        PolicyUnreadable.
        """
