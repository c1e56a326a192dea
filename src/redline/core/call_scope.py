"""The scope of one running call: what can cancel it, and what it holds in memory."""

from __future__ import annotations

from collections.abc import Hashable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel


class CallScope:
    """One call, as `core.cancellation` and `core.budget` see it, for the length of a `with`."""

    __slots__ = ("_token", "cancel", "charged_bytes", "total_bytes")

    def __init__(self, cancel: Cancel) -> None:
        self.cancel = cancel
        self.charged_bytes: dict[Hashable, int] = {}
        self.total_bytes = 0

    def __enter__(self) -> None:
        self._token: Token[CallScope | None] = _current.set(self)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


_current: ContextVar[CallScope | None] = ContextVar("call_scope", default=None)


def call_scope(cancel: Cancel) -> CallScope:
    """Run a call on this thread: *cancel* can stop it, and its memory is bounded."""
    return CallScope(cancel)


def current_call() -> CallScope | None:
    """Return the scope of the call that this thread runs; None outside of calls."""
    return _current.get()
