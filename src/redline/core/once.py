"""A property that is computed once, even when several threads ask for it first."""

from __future__ import annotations

from functools import cached_property
from threading import RLock
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")

# One lock for all: building one part may ask for another, and the reverse, never in two threads.
_BUILDING = RLock()


class built_once(cached_property[T]):  # noqa: N801 - used as a decorator
    """functools.cached_property lost its lock in Python 3.12; two journals would be two truths."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """Return the value, built by the first thread that asks."""
        if instance is None:
            return self
        with _BUILDING:
            return super().__get__(instance, owner)
