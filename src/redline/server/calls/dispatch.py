"""Where a tools/call goes: what it may use, and what is known of who sent it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.calls.catalog import Catalog
from redline.server.observe.audit import Audit
from redline.server.observe.log import Sink, warn
from redline.server.rpc.cancel import Token
from redline.server.rpc.revisions import Profile
from redline.toolsets.tool import Client, Json

if TYPE_CHECKING:
    from redline.server.calls.client_log import ClientLog
    from redline.server.calls.running import Runner
    from redline.toolsets.tool import Answer, Question, RpcFailure, Runtime

Progress = Callable[[float, float | None, str], None]


def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Progress for callers that did not ask for it."""


class Context:
    """Everything about a request but its name and arguments."""

    __slots__ = ("asker", "cancel", "client", "log", "progress", "raw", "request_id")

    def __init__(
        self,
        client: Client,
        *,
        request_id: str = "",
        cancel: Token | None = None,
        progress: Progress = no_progress,
        raw: bytes | None = None,
        asker: Callable[[Question], Answer] | None = None,
        log: ClientLog | None = None,
    ) -> None:
        self.client = client
        self.request_id = request_id
        self.cancel = cancel or Token(warn)
        self.progress = progress
        self.raw = raw
        # How to ask the person while the call runs; None where the client cannot be asked so.
        self.asker = asker
        # What the client is told while the call runs; None where it did not ask to be told.
        self.log = log


class Dispatch:
    """Answers calls against a runtime; safe from any number of threads."""

    def __init__(
        self,
        catalog: Catalog,
        runtime: Runtime,
        *,
        errors: str = "auto",
        trace: Sink | None = None,
        audit: Audit | None = None,
    ) -> None:
        self.catalog = catalog
        self.runtime = runtime
        self.profile = Profile(catalog.only)
        self.audit = audit or Audit()
        self.errors_as_results = errors == "result"
        self.trace = trace
        # Told of each finished call: the tool's listed name, whether it went well, seconds.
        self.watchers: list[Callable[[str, bool, float], None]] = []
        self._runner: Runner | None = None

    def call(self, params: Any, context: Context) -> Json | RpcFailure:
        """The result object of a tools/call, or the JSON-RPC error to send."""
        if self._runner is None:
            # Loaded at the first call: a client that only lists tools does not pay for it.
            from redline.server.calls.running import Runner

            self._runner = Runner(self)
        return self._runner.call(params, context)

    def end_session(self, params: Any, context: Context) -> None:
        """The coding profile lets a cancellation name a command's session instead of a request."""
        session = params.get("session_id") if isinstance(params, dict) else None
        if isinstance(session, str) and self.catalog.find("kill_session") is not None:
            self.call({"name": "kill_session", "arguments": {"session_id": session}}, context)
