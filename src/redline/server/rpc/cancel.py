"""What ends a call from outside: cancellation, or a retry that is refused."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class StateRefused(Exception):
    """A requestState that was altered, has expired, was used before or is another call's."""


class CancelToken:
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
        """Raise Cancelled when the client cancelled the call."""
        if self.cancelled:
            from redline.core.errors import Cancelled

            raise Cancelled("The caller cancelled the request")

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Run *action* on cancellation; immediately if that has happened."""
        with self._lock:
            if not self.cancelled:
                self._actions.append(action)
                return
        action()

    def cancel(self) -> None:
        """Cancel: run every registered action, once."""
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
