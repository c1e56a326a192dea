"""The scope of one running call: what can cancel it, and what it holds in memory."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from redline.core.paths import WorkspacePath
    from redline.core.ports.search import Cancel, GrepLine


class ReadWatch(Protocol):
    """Notes what one call reads, of which its answer may show a part."""

    def note_read(self, path: WorkspacePath, content: bytes) -> None:
        """Note the content of a file, or a part of it."""

    def note_lines(self, lines: Sequence[GrepLine]) -> None:
        """Note lines that a search found."""


class CallScope:
    """One call, as `core.cancellation` and `core.budget` see it, for the length of a `with`."""

    __slots__ = ("_token", "cancel", "charged_bytes", "total_bytes", "watch")

    def __init__(self, cancel: Cancel, watch: ReadWatch | None = None) -> None:
        self.cancel = cancel
        self.watch = watch
        self.charged_bytes: dict[Hashable, int] = {}
        self.total_bytes = 0

    def __enter__(self) -> None:
        self._token: Token[CallScope | None] = _current.set(self)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


_current: ContextVar[CallScope | None] = ContextVar("call_scope", default=None)


def call_scope(cancel: Cancel, watch: ReadWatch | None = None) -> CallScope:
    """Run a call on this thread: *cancel* can stop it, and its memory is bounded.

    *watch* notes what it reads.
    """
    return CallScope(cancel, watch)


def current_call() -> CallScope | None:
    """Return the scope of the call that this thread runs; None outside of calls."""
    return _current.get()


def note_read(path: WorkspacePath, content: bytes) -> None:
    """Tell the watch of the running call, if any, what was read."""
    scope = _current.get()
    if scope is not None and scope.watch is not None:
        scope.watch.note_read(path, content)


def note_lines(lines: Sequence[GrepLine]) -> None:
    """Tell the watch of the running call, if any, what a search found."""
    scope = _current.get()
    if scope is not None and scope.watch is not None:
        scope.watch.note_lines(lines)
