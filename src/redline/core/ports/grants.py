"""Permissions that people gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission a person gave to one owner (principal and connection) for a tool.

    A `once` grant covers one call whose arguments hold everything in `arguments`; a `session`
    grant covers every call of that tool until `expires_at` (seconds since the epoch).
    """

    id: str
    owner: str
    tool: str
    permission: str
    scope: str
    expires_at: float
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


class Grants(Protocol):
    """The permissions in force."""

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""

    def consume(
        self, owner: str, tool: str, permission: str, arguments: Mapping[str, Any]
    ) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""
