"""Which rooms this installation has, and what Redline does without one.

A room is a package beside the layers: policy, recorder, review, teams. Reading, editing and undoing
need none of them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from redline.core.ports.history import Operation
    from redline.core.ports.pages import ReviewComment
    from redline.core.ports.review import Decision, HeldChange, PermissionQuestion

ROOMS = ("policy", "recorder", "review", "teams")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def has_room(name: str) -> bool:
    """Return whether a room is installed."""
    return os.path.exists(os.path.join(_PACKAGE, name, "__init__.py"))


class NoActivity:
    """See `core.ports.recording.Activity`; no recorder hears of commands."""

    def begin(self) -> Callable[[], None]:
        """Announce nothing."""
        return lambda: None

    def is_busy(self) -> bool:
        """Return False: no recorder waits for commands."""
        return False


class NoComments:
    """See `core.ports.pages.ReviewComments`; there is no page to comment on."""

    def list(self, *, operation: str = "", open_only: bool = False) -> Sequence[ReviewComment]:
        """Return no comments."""
        return ()

    def take_undelivered(self, session: str) -> Sequence[ReviewComment]:
        """Return no comments."""
        return ()

    def add(self, comment: ReviewComment) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def resolve(self, comment_id: str, by: str, answer: str) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def version(self) -> str:
        """Return a constant."""
        return ""


class NoQuestions:
    """See `core.ports.review.PermissionQuestions`; a person is asked at the client only."""

    def list(self) -> Sequence[PermissionQuestion]:
        """Return no questions."""
        return ()

    def take_decisions(self, session: str) -> Sequence[PermissionQuestion]:
        """Return no decisions."""
        return ()

    def ask(self, question: PermissionQuestion) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def get(self, question_id: str) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def decide(
        self, question_id: str, decision: Decision, note: Callable[[PermissionQuestion], object]
    ) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def use(self, question_id: str) -> bool:
        """Return False: nothing was decided."""
        return False

    def withdraw(self, question_id: str) -> None:
        """Do nothing."""

    def version(self) -> str:
        """Return a constant."""
        return ""


class NoHeldChanges:
    """See `core.ports.review.HeldChanges`; without rules no change is held."""

    def list(self) -> Sequence[HeldChange]:
        """Return no changes."""
        return ()

    def take_decisions(self, session: str) -> Sequence[HeldChange]:
        """Return no decisions."""
        return ()

    def hold(self, change: HeldChange) -> NoReturn:
        """Raise Unavailable."""
        _refuse("policy")

    def get(self, held_id: str) -> NoReturn:
        """Raise Unavailable."""
        _refuse("policy")

    def deciding(self, held_id: str) -> NoReturn:
        """Raise Unavailable."""
        _refuse("policy")

    def decide(self, held_id: str, decision: Decision) -> NoReturn:
        """Raise Unavailable."""
        _refuse("policy")


class NoInbox:
    """See `core.ports.pages.Inbox`; people have nowhere to say anything."""

    def take(self, session: str, warn: Callable[[str], None]) -> Sequence[str]:
        """Return no texts."""
        return ()


class NoReviewApp:
    """See `core.ports.pages.ReviewApp`; clients show the text of an answer alone."""

    def write_page(self) -> NoReturn:
        """Raise Unavailable."""
        _refuse("review")

    def draw_change(self, operation_id: str, *, can_undo: bool) -> str:
        """Return no HTML."""
        return ""

    def draw_list(self, operations: Sequence[Operation], *, has_older: bool) -> str:
        """Return no HTML."""
        return ""


def _refuse(room: str) -> NoReturn:
    """Raise Unavailable."""
    from redline.core.errors import Unavailable

    raise Unavailable(f"Redline is installed without its room {room}")
