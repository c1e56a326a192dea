"""notifications/message: log messages for clients that asked for them.

Nothing is sent before a client names a level: by logging/setLevel in the handshake era, in the
`_meta` of each request in the stateless one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.rpc import revisions
from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.core.errors import RedlineError

LOGGER = "redline"
Deliver = Callable[[Json], None]


class ClientLog:
    """Delivers events at or above one level, with secrets redacted."""

    __slots__ = ("_deliver", "_lowest")

    def __init__(self, level: str, deliver: Deliver) -> None:
        self._lowest = revisions.LOG_LEVELS.index(level)
        self._deliver = deliver

    def __call__(self, level: str, event: str, **facts: Any) -> None:
        """Deliver one event as the params of a notifications/message."""
        if revisions.LOG_LEVELS.index(level) < self._lowest:
            return
        from redline.server.observe.redact import redact

        data = {"event": event, **{name: redact(fact) for name, fact in facts.items()}}
        self._deliver({"level": level, "logger": LOGGER, "data": data})

    def failure(self, error: RedlineError, tool: str) -> None:
        """Deliver the failure of a call."""
        from redline.core.errors import Unavailable
        from redline.server.observe.audit import kind_of

        kind = kind_of(error)
        if kind is not None:
            self("warning", kind, tool=tool, message=error.message)
        else:
            level = "error" if isinstance(error, Unavailable) else "info"
            self(level, "call_failed", tool=tool, message=error.message)
