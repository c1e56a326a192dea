"""One call: what a handler receives, what it returns, and what it may use.

The first call imports this module; a server that only lists tools does not.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from redline.core.access.rights import Right
from redline.core.budget import check_answer
from redline.core.records import dataclass, field, replace

if TYPE_CHECKING:
    from redline.core.changes import ChangeSet
    from redline.core.errors import RedlineError
    from redline.core.paths import WorkspacePath
    from redline.core.ports.history import Author, Consent, Origin
    from redline.core.ports.search import Cancel
    from redline.services.runtime import Runtime
    from redline.toolsets.tool import Client, Tool

Json = dict[str, Any]
# Tells the sessions of this server, or of the group it is in, from those of every other.
_group_name = [os.urandom(8).hex()]


def name_group(name: str) -> None:
    """Give clients at every server of a group the same session; called before the first call."""
    _group_name[:] = [name]


def _discard(_level: str, _message: str) -> None:
    """Drop a log message: the client did not ask for any."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer: MCP content blocks and the structured form.

    `is_counted` is True when callers count the blocks, so the server adds none.
    """

    content: Sequence[Json]
    structured: Json | None = None
    is_error: bool = False
    meta: Json | None = None
    is_counted: bool = False

    def __post_init__(self) -> None:
        """Raise MemoryLimit for an answer that is too long to send."""
        length = 0
        for block in self.content:
            length += len(block.get("text", ""))
        check_answer(length)

    @classmethod
    def of_text(
        cls, text: str, structured: Json | None = None, *, is_error: bool = False
    ) -> Result:
        """Build an answer of one text block."""
        return cls([{"type": "text", "text": text}], structured, is_error)

    @classmethod
    def of_json(cls, structured: Json, *, is_error: bool = False) -> Result:
        """Build an answer of *structured*, and its JSON as text for clients that read only text."""
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"), default=str)
        return cls.of_text(text, structured, is_error=is_error)


@dataclass(frozen=True, slots=True)
class ListedResource:
    """One address in resources/list."""

    uri: str
    name: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class RpcFailure:
    """A failure that the toolset's specification wants as a JSON-RPC error.

    On 2026-07-28 connections, and with --errors result, the server turns it into an isError
    result with `code` in structuredContent.
    """

    code: int
    message: str
    data: Json | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person at the client: a message and a flat form (elicitation schema).

    `elsewhere` returns the answer of a person who was faster at another place, None without one;
    `posted` is the id of the question there.
    """

    message: str
    schema: Json
    key: str = "answer"
    elsewhere: Callable[[], Answer | None] | None = field(default=None, compare=False)
    posted: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person chose: accept (with `content`), decline or cancel."""

    action: str
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the person agreed."""
        return self.action == "accept"


@dataclass(frozen=True, slots=True)
class Call:
    """One tools/call with validated arguments, or another request that runs a handler.

    `log` sends a log message (an MCP level and a text) to a client that asked for them. `ask`
    asks the person a question; it is None when this client cannot show one, or when its person
    may not approve. On stateless
    connections the call ends there, and the handler runs again from its start when the answer
    arrives: before asking, do nothing that cannot be repeated.
    """

    tool: Tool
    arguments: Json
    runtime: Runtime
    client: Client
    cancel: Cancel
    progress: Callable[[float, float | None, str], None]
    request_id: str = ""
    # The request as received, for tools that must keep numbers as the client wrote them.
    raw: bytes | None = None
    ask: Callable[[Question], Answer] | None = None
    # How many seconds the client lets this call wait for a person who must approve its change.
    wait: float = 0.0
    log: Callable[[str, str], None] = _discard
    # What the answer says beside the handler's own text about how the arguments were understood.
    notes: list[str] = field(default_factory=list)
    # What the person at the terminal allowed with a flag, and whether the policy is asked at all.
    consent: Consent | None = None
    as_owner: bool = False
    # The session whose hook announced this call, if one did.
    hook_session: str = ""

    def take(self, name: str) -> Any:
        """Return an argument and keep it no longer: a large text that is needed once."""
        return self.arguments.pop(name)

    def origin(self, summary: str = "") -> Origin:
        """Return who asked for this change, for the journal."""
        from redline.core.ports.history import Origin

        consent = self.consent
        if self.ask is not None:
            from redline.toolsets.consent import AskConsent

            consent = AskConsent(self)
        name = f"{self.client.name} {self.client.version}".strip()
        principal, session = self.client.principal, session_of(self.client)
        return Origin(
            self.tool.name,
            name,
            principal,
            summary,
            session,
            consent,
            self.wait,
            self.as_owner,
            self.hook_session,
        )

    def others_at_work(self) -> str:
        """Return what other agents changed in the last minutes; empty if nothing."""
        from redline.services.history.news import describe_work_of_others

        return describe_work_of_others(self.runtime, self.origin())

    def foresee(self, change_set: ChangeSet, tool: str = "") -> list[str]:
        """Return a note on what would keep the change of a dry run from being made, if any.

        *tool* is the one that would make it, where that is another than this call's.
        """
        from redline.services.commit import foresee

        origin = replace(self.origin(), tool=tool or self.tool.name)
        has_consent = self.consent is not None
        return foresee(self.runtime.approval, change_set, origin, has_consent=has_consent)

    @property
    def only_of(self) -> str | None:
        """The principal whose changes alone this caller may take back; None: it may all."""
        may_all = Right.UNDO_OTHERS in self.client.rights
        return None if may_all else self.client.principal

    @property
    def owner(self) -> str:
        """Who running commands and grants belong to: one principal on one connection."""
        return f"{self.client.principal}\0{self.client.connection}"

    def label(self, path: WorkspacePath) -> str:
        """Return how a path is shown: relative to the workspace, absolute in other roots."""
        from redline.services.names import display_name

        return display_name(self.runtime.workspace, path)

    def own(self) -> Author:
        """Return whose changes are this caller's own: those of its session."""
        from redline.core.ports.history import Author

        session = session_of(self.client)
        return Author(session, principal=self.client.principal, unsigned=True)


def session_of(client: Client) -> str:
    """Return the name of a client's session: the one it gave, else one for its connection.

    The id of a connection may be a secret, so it goes no further than into a digest.
    """
    if client.session:
        return client.session
    return _name_session(_group_name[0], client.connection, client.name, client.principal)


@lru_cache(256)
def _name_session(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:8]


Handler = Callable[[Call], Result]


class Wording(Protocol):
    """Turns a failure into the toolset's answer."""

    def __call__(self, error: RedlineError, call: FailedCall, /) -> Result | RpcFailure: ...


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed; `arguments` are not validated. `runtime` is None in tests of wordings.

    `request_id` is the client's id with a random ending, by which the log names this call alone.
    """

    tool: str
    arguments: Mapping[str, Any]
    client: Client
    request_id: str = ""
    runtime: Runtime | None = None
