"""The scope of one running call: what can cancel it, and what it holds in memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel


class CallScope:
    """One call, as `core.cancellation` and `core.budget` see it."""

    __slots__ = ("cancel", "charged_bytes", "total_bytes")

    def __init__(self, cancel: Cancel) -> None:
        self.cancel = cancel
        self.charged_bytes: dict[Hashable, int] = {}
        self.total_bytes = 0


_current: ContextVar[CallScope | None] = ContextVar("call_scope", default=None)


@contextmanager
def call_scope(cancel: Cancel) -> Iterator[None]:
    """Run a call on this thread: *cancel* can stop it, and its memory is bounded."""
    token = _current.set(CallScope(cancel))
    try:
        yield
    finally:
        _current.reset(token)


def current_call() -> CallScope | None:
    """Return the scope of the call that this thread runs; None outside of calls."""
    return _current.get()
