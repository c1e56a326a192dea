"""One call: what a handler is given, what it answers, and how a failure is put into words.

Apart from toolsets.tool so that a server which only lists tools never builds these classes;
import the names from toolsets.tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from redline.core.budget import check_answer

if TYPE_CHECKING:
    from redline.core.errors import RedlineError
    from redline.core.ports.history import Origin
    from redline.core.ports.search import Cancel
    from redline.toolsets.tool import Client, Runtime, Tool

Json = dict[str, Any]


def _unheard(_level: str, _message: str) -> None:
    """The log of a client that did not ask for one."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer: content blocks as MCP spells them, and the structured form."""

    content: Sequence[Json]
    structured: Json | None = None
    is_error: bool = False
    meta: Json | None = None

    def __post_init__(self) -> None:
        """Refuse what is too long to be sent."""
        check_answer(sum(len(block.get("text", "")) for block in self.content))

    @classmethod
    def of_text(
        cls, text: str, structured: Json | None = None, *, is_error: bool = False
    ) -> Result:
        """An answer of one text block."""
        return cls([{"type": "text", "text": text}], structured, is_error)


@dataclass(frozen=True, slots=True)
class RpcFailure:
    """A failure the seed wants as a JSON-RPC error. On 2026-07-28 connections, and with
    --errors result, the server turns it into an isError result with `code` in structuredContent."""

    code: int
    message: str
    data: Json | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask the person at the client: a message and a flat form (elicitation schema)."""

    message: str
    schema: Json
    key: str = "answer"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person did: accept (with `content`), decline or cancel."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the person agreed."""
        return self.action == "accept"


@dataclass(frozen=True, slots=True)
class Call:
    """One tools/call with validated arguments.

    `log` tells a client that asked for log messages something beside the answer: a level of MCP
    and a message. `ask` puts a question to the person, or is None when this client cannot be
    asked. On stateless connections the call ends there and the handler is run again, from its
    start, when the answer comes: do nothing that cannot be repeated before asking.
    """

    tool: Tool
    arguments: Json
    runtime: Runtime
    client: Client
    cancel: Cancel
    progress: Callable[[float, float | None, str], None]
    request_id: str = ""
    # The request exactly as it came, for tools that must keep the spelling of numbers.
    raw: bytes | None = None
    ask: Callable[[Question], Answer] | None = None
    log: Callable[[str, str], None] = _unheard

    def origin(self, summary: str = "") -> Origin:
        """The journal's word on who asked for this."""
        from redline.core.ports.history import Origin

        consent = None
        if self.ask is not None:
            from redline.toolsets.consent import AskConsent

            consent = AskConsent(self)
        name = f"{self.client.name} {self.client.version}".strip()
        return Origin(self.tool.name, name, self.client.principal, summary, consent)


Handler = Callable[[Call], Result]


class Wording(Protocol):
    """How a dialect answers a failure."""

    def __call__(self, error: RedlineError, call: FailedCall, /) -> Result | RpcFailure: ...


@dataclass(frozen=True, slots=True)
class FailedCall:
    """What is known of a call that failed; `arguments` are not validated."""

    tool: str
    arguments: Mapping[str, Any]
    client: Client
    request_id: str = ""
