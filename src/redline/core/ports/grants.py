"""Permissions that people gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Grant:
    """A permission a person gave to one owner (principal and connection) for one call.

    `digest` is the hash of the tool and everything that decides what the call does. A `once`
    grant covers one such call, a `session` grant any number until `expires_at` (seconds since
    the epoch).
    """

    id: str
    owner: str
    tool: str
    permission: str
    scope: str
    expires_at: float
    digest: str
    reason: str = ""


class Grants(Protocol):
    """The permissions in force."""

    def add(self, grant: Grant) -> None:
        """Put *grant* in force."""

    def consume(self, owner: str, tool: str, permission: str, digest: str) -> Grant | None:
        """The grant that covers this call, used up if it was for one call; None without one."""
