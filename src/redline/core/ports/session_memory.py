"""What each connection was shown, and what people permitted."""

from __future__ import annotations

from typing import Protocol

from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as one connection was last shown it; `content` is None when it was too big to keep.

    `cause` names the call that made it so, when it was an edit of this connection. `was_read` is
    False when the connection only edited it: it was shown differences, never the file.
    """

    digest: str
    content: bytes | None = field(default=None, repr=False)
    cause: str = ""
    was_read: bool = True


class Reads(Protocol):
    """What each connection was shown, so that an edit by line number can tell stale lines."""

    def note(self, connection: str, path: WorkspacePath, content: bytes, cause: str = "") -> None:
        """Remember that *connection* was shown the file while it held *content* (the whole).

        With a *cause* it was an edit that left this content, which is no reading by itself.
        """

    def note_change(self, connection: str, path: WorkspacePath, made: tuple[str, str]) -> None:
        """Remember which call of *connection* last changed the file, and to which digest."""

    def last_change(self, connection: str, path: WorkspacePath) -> tuple[str, str] | None:
        """Return the call that last changed the file for *connection*, and the digest it left."""

    def last_seen(self, connection: str, path: WorkspacePath) -> Seen | None:
        """Return the file as *connection* was last shown it, or None."""
