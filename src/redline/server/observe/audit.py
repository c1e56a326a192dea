"""Security-relevant events, one structured line each, secrets redacted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.observe.log import Sink, timestamp, to_stderr

if TYPE_CHECKING:
    from redline.core.errors import RedlineError
    from redline.toolsets.tool import Client


class Audit:
    """Writes audit lines to *sink*, or to stderr when it fails; callers never see that."""

    __slots__ = ("_sink", "is_kept", "watch")

    def __init__(self, sink: Sink = to_stderr, *, is_kept: bool = False) -> None:
        self._sink = sink
        # Whether lines go to a file: then also what succeeds is written, not only what fails.
        self.is_kept = is_kept
        self.watch: Callable[[str], None] | None = None

    def record(self, kind: str, **facts: Any) -> None:
        """Write one event, such as auth_failed or rate_limited."""
        from redline.server.observe.redact import redact

        if self.watch is not None:
            self.watch(kind)
        event = {"event": "audit", "kind": kind, "timestamp": timestamp()}
        event.update((name, redact(value)) for name, value in facts.items() if value)
        try:
            self._sink(event)
        except OSError as failure:
            to_stderr({**event, "audit_log_failed": str(failure)})

    def record_success(self, kind: str, client: Client, **facts: Any) -> None:
        """Write what a person was allowed to do, where lines are kept."""
        if self.is_kept:
            who = {"client": client.name, "principal": client.principal}
            self.record(kind, **who, connection=client.connection, **facts)

    def record_failure(
        self, error: RedlineError, tool: str, client: Client, request_id: str
    ) -> None:
        """Write the event behind a failed call, if it concerns security."""
        kind = kind_of(error)
        if kind is not None:
            self.record(
                kind,
                tool=tool,
                reason=error.message,
                client=client.name,
                principal=client.principal,
                connection=client.connection,
                request=request_id,
            )


def kind_of(error: RedlineError) -> str | None:
    """Return the audit event for a failure; None when it does not concern security."""
    from redline.core import errors

    if isinstance(error, errors.PathDenied):
        return "path_denied"
    if isinstance(error, errors.ReadOnlyMode):
        return "write_refused"
    if isinstance(error, errors.Refused):
        return "refused"
    if isinstance(error, errors.SandboxUnavailable):
        return "sandbox_unavailable"
    return None
