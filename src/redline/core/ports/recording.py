"""What the rest needs to know of the recorder, which writes changes of other programs down."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Activity(Protocol):
    """Tells the recorder of commands whose changes are recorded when they end."""

    def begin(self) -> Callable[[], None]:
        """Say that a command begins; what is returned says that its changes are recorded."""

    def is_busy(self) -> bool:
        """Return whether such a command runs, in any process."""


# What no recorder records, in words.
NOT_RECORDED = "files over 4 MB, what git ignores, or directories such as node_modules"


class RecorderCondition(NamedTuple):
    """The process that records a workspace, since when, and what it does not record."""

    pid: int
    started: float
    limits: tuple[str, ...] = ()
