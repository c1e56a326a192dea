"""notifications/message: what a client that asked for it is told while its calls run.

Nothing is sent before a client names a level: by logging/setLevel in the handshake era, in the
`_meta` of each request in the stateless one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.rpc import revisions, wire
from redline.server.rpc.messages import Refusal
from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.core.errors import RedlineError

LOGGER = "redline"
Deliver = Callable[[Json], None]


class ClientLog:
    """Delivers what is at or above one level, without secrets."""

    __slots__ = ("_deliver", "_least")

    def __init__(self, level: str, deliver: Deliver) -> None:
        self._least = revisions.LOG_LEVELS.index(level)
        self._deliver = deliver

    def __call__(self, level: str, event: str, **facts: Any) -> None:
        """Tell of one event: the params of a notifications/message."""
        if revisions.LOG_LEVELS.index(level) < self._least:
            return
        from redline.server.observe.redact import redact

        data = {"event": event, **{name: redact(fact) for name, fact in facts.items()}}
        self._deliver({"level": level, "logger": LOGGER, "data": data})

    def failure(self, error: RedlineError, tool: str) -> None:
        """Tell of a call that was refused or could not be done."""
        from redline.core.errors import Unavailable
        from redline.server.observe.audit import kind_of

        kind = kind_of(error)
        if kind is not None:
            self("warning", kind, tool=tool, message=error.message)
        else:
            level = "error" if isinstance(error, Unavailable) else "info"
            self(level, "call_failed", tool=tool, message=error.message)


def level_in(params: Any) -> str:
    """The level a logging/setLevel request names."""
    return _known(params.get("level") if isinstance(params, dict) else None)


def level_of_request(params: Any) -> str | None:
    """The level a request of the stateless era asks for; None when it asks for no messages."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    asked = meta.get(revisions.META_LOG_LEVEL) if isinstance(meta, dict) else None
    return None if asked is None else _known(asked)


def _known(level: Any) -> str:
    if level not in revisions.LOG_LEVELS:
        legal = ", ".join(revisions.LOG_LEVELS)
        raise Refusal(wire.INVALID_PARAMS, f"Unknown logging level; legal: {legal}")
    return str(level)
