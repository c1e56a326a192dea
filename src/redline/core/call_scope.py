"""The scope of one running call: what can cancel it, and what it holds in memory.

`checkpoint` and `cancellable` end a cancelled call in loops whose length the caller decides.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from redline.core.paths import WorkspacePath
    from redline.core.ports.search import Cancel, GrepLine

_T = TypeVar("_T")
# Items between two checkpoints of `cancellable`: a few hundred microseconds of work at most.
_STRIDE = 64


class ReadWatch(Protocol):
    """Notes what one call reads, of which its answer may show a part."""

    def note_read(self, path: WorkspacePath, content: bytes) -> None:
        """Note the content of a file, or a part of it."""

    def note_lines(self, lines: Sequence[GrepLine]) -> None:
        """Note lines that a search found."""


class CallScope:
    """Runs a call on this thread, within a `with`: *cancel* can stop it, its memory is bounded.

    *watch* notes what it reads.
    """

    __slots__ = ("_token", "cancel", "charged_bytes", "total_bytes", "watch")

    def __init__(self, cancel: Cancel, watch: ReadWatch | None = None) -> None:
        self.cancel = cancel
        self.watch = watch
        self.charged_bytes: dict[Hashable, int] = {}
        self.total_bytes = 0

    def __enter__(self) -> None:
        self._token: Token[CallScope | None] = running.set(self)

    def __exit__(self, *_: object) -> None:
        running.reset(self._token)


# The scope of the call that this thread runs; None outside of calls.
running: ContextVar[CallScope | None] = ContextVar("call_scope", default=None)


def checkpoint() -> None:
    """Raise Cancelled when the client gave up the call that this thread runs."""
    call = running.get()
    if call is not None:
        call.cancel.check()


def cancellable(items: Iterable[_T]) -> Iterator[_T]:
    """Yield *items*, with a checkpoint every few of them."""
    for index, item in enumerate(items):
        if not index % _STRIDE:
            checkpoint()
        yield item


class _Uncancellable:
    """Implements core.ports.search.Cancel for a caller that never gives up."""

    def check(self) -> None:
        """Return: the caller is still waiting."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Drop *action*: it would never run."""


UNCANCELLABLE: Cancel = _Uncancellable()


def note_read(path: WorkspacePath, content: bytes) -> None:
    """Tell the watch of the running call, if any, what was read."""
    scope = running.get()
    if scope is not None and scope.watch is not None:
        scope.watch.note_read(path, content)


def note_lines(lines: Sequence[GrepLine]) -> None:
    """Tell the watch of the running call, if any, what a search found."""
    scope = running.get()
    if scope is not None and scope.watch is not None:
        scope.watch.note_lines(lines)
