"""Cancellation of the call that a thread runs, asked for wherever a caller can lengthen a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

_T = TypeVar("_T")
_thread = local()
# Items between two checkpoints of `cancellable`: a few hundred microseconds of work at most.
_STRIDE = 64


@contextmanager
def running(cancel: Cancel) -> Iterator[None]:
    """Make *cancel* what `checkpoint` asks on this thread."""
    before: Cancel | None = getattr(_thread, "cancel", None)
    _thread.cancel = cancel
    try:
        yield
    finally:
        _thread.cancel = before


def checkpoint() -> None:
    """Raise Cancelled when the client gave up the call that this thread runs."""
    cancel: Cancel | None = getattr(_thread, "cancel", None)
    if cancel is not None:
        cancel.check()


def cancellable(items: Iterable[_T]) -> Iterator[_T]:
    """Yield *items*, with a checkpoint every few of them."""
    for index, item in enumerate(items):
        if not index % _STRIDE:
            checkpoint()
        yield item
