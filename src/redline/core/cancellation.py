"""Checkpoints for loops whose length the caller decides: a cancelled call ends there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from redline.core.call_scope import current_call

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
