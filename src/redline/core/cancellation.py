"""Checkpoints for loops whose length the caller decides: a cancelled call ends there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from redline.core.call_scope import current_call

if TYPE_CHECKING:
    from redline.core.ports.search import Cancel

_T = TypeVar("_T")
# Items between two checkpoints of `cancellable`: a few hundred microseconds of work at most.
_STRIDE = 64


def checkpoint() -> None:
    """Raise Cancelled when the client gave up the call that this thread runs."""
    call = current_call()
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
