"""What parsers failed on: remembered by content, so that it is tried once."""

from __future__ import annotations

from typing import Protocol


class Failures(Protocol):
    """Contents that killed a worker or took too long, by digest."""

    def reason(self, digest: str) -> str | None:
        """Why that content is not parsed; None when it may be."""

    def remember(self, digest: str, reason: str) -> None:
        """Do not parse that content again."""
