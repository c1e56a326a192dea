"""Errors about the rules of a policy and about changes that wait for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from redline.core.error_families.base import PermissionDenied, PermissionRequired, Refused
from redline.core.error_families.edits import Conflict, HistoryError

if TYPE_CHECKING:
    from redline.core.ports.review import Ruling


class RuleDenied(Refused):
    """A rule of the policy denies the change; `rulings` say which and why."""

    def __init__(
        self,
        message: str,
        rulings: Sequence[Ruling] = (),
        *,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, details=details)
        self.rulings = tuple(rulings)


class RuleAsks(PermissionRequired):
    """A rule of the policy wants a person to decide; `rulings` say which and why."""

    def __init__(self, message: str, rulings: Sequence[Ruling] = ()) -> None:
        super().__init__(message, permission="review")
        self.rulings = tuple(rulings)


class ChangeHeld(PermissionRequired):
    """The change is held until a person decides; nothing was written."""

    def __init__(
        self, message: str, *, held_id: str, hint: str, details: Mapping[str, Any] | None = None
    ) -> None:
        found = {"held_id": held_id, **(details or {})}
        super().__init__(message, permission="review", hint=hint, details=found)
        self.held_id = held_id


class HeldRefused(PermissionDenied):
    """A person refused the change; the message has the reason."""


class PolicyUnreadable(Refused):
    """The policy cannot be read, so nothing may be changed."""


class HeldStale(Conflict):
    """The files of a held change are no longer what it was planned from."""


class HeldDecided(Conflict):
    """A held change was decided before, or has expired."""


class UnknownHeld(HistoryError):
    """No held change has that id."""
