"""What can end a call besides its own work: cancellation, or a retry that is not genuine."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class StateRefused(Exception):
    """A requestState that was altered, has expired, was used before or is another call's."""


class Token:
    """Implements core.ports.search.Cancel; `cancel` may come at any time from any thread."""

    __slots__ = ("_actions", "_lock", "cancelled")

    def __init__(self) -> None:
        self.cancelled = False
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
                from redline.server.log import warn

                warn(f"cancel action failed: {failure!r}")
