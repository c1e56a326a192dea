"""What can end a call besides its own work: cancellation, or a retry that is not genuine."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class StateRefused(Exception):
    """A requestState that was altered, has expired, was used before or is another call's."""


class Token:
    """Implements core.ports.search.Cancel; `cancel` may come at any time from any thread.

    *report* gets a line for the operator when an action fails.
    """

    __slots__ = ("_actions", "_lock", "_report", "cancelled")

    def __init__(self, report: Callable[[str], None]) -> None:
        self.cancelled = False
        self._report = report
        self._lock = Lock()
        self._actions: list[Callable[[], None]] = []

    def check(self) -> None:
        """Raise Cancelled when the caller gave up."""
        if self.cancelled:
            from redline.core.errors import Cancelled

            raise Cancelled("The caller cancelled the request")

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Run *action* when the caller gives up; at once if it has."""
        with self._lock:
            if not self.cancelled:
                self._actions.append(action)
                return
        action()

    def cancel(self) -> None:
        """The caller gave up: stop what listens, once."""
        with self._lock:
            if self.cancelled:
                return
            self.cancelled = True
            actions, self._actions = self._actions, []
        for action in actions:
            try:
                action()
            except Exception as failure:
                self._report(f"cancel action failed: {failure!r}")
