"""What a toolset is made of: Tool, Dialect, Call, Result, and the Runtime handlers reach for.

A tool is one value. Its handler is named by text ("module:function") and imported at the first
call, so listing tools costs nothing but their schemas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

# Only for the checker: the ports are some thirty dataclasses, and listing tools needs none.
if TYPE_CHECKING:
    from redline.code.analysis import Analysis
    from redline.core.ports.code import CodeIndex
    from redline.core.ports.commands import Commands
    from redline.core.ports.confined import Confined
    from redline.core.ports.git import Git
    from redline.core.ports.grants import Grants
    from redline.core.ports.history import Editor, History
    from redline.core.ports.images import Images
    from redline.core.ports.models import Llm
    from redline.core.ports.previews import Previews
    from redline.core.ports.reads import Reads
    from redline.core.ports.search import Grep, Regex
    from redline.core.ports.tree import Tree, Workspace
    from redline.toolsets.call import Answer as Answer
    from redline.toolsets.call import Call as Call
    from redline.toolsets.call import FailedCall as FailedCall
    from redline.toolsets.call import Handler as Handler
    from redline.toolsets.call import Question as Question
    from redline.toolsets.call import Result as Result
    from redline.toolsets.call import RpcFailure as RpcFailure
    from redline.toolsets.call import Wording as Wording

Json = dict[str, Any]

_OF_CALLS = frozenset(
    {"Answer", "Call", "FailedCall", "Handler", "Question", "Result", "RpcFailure", "Wording"}
)


def __getattr__(name: str) -> Any:
    """The names of toolsets.call, built when the first call needs them."""
    if name in _OF_CALLS:
        return getattr(import_module("redline.toolsets.call"), name)
    raise AttributeError(name)


@dataclass(frozen=True, slots=True)
class Hints:
    """MCP tool annotations; None leaves a hint out."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def wire(self) -> Json:
        """The annotations object as MCP spells it."""
        pairs = {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        return {key: value for key, value in pairs.items() if value is not None}


# How the connection of an HTTP client without a session begins; its principal follows.
SESSIONLESS = "http:"
READS = Hints(read_only=True, open_world=False)


@dataclass(frozen=True, slots=True)
class Client:
    """Who is calling. `connection` is one stdio pipe or one HTTP session (or principal)."""

    name: str = ""
    version: str = ""
    protocol: str = "2025-11-25"
    principal: str = ""
    connection: str = "stdio"
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_modern(self) -> bool:
        """Whether this is the stateless era."""
        return self.protocol >= "2026-07-28"

    @property
    def has_session(self) -> bool:
        """Whether the connection tells this client from all others of its principal."""
        return not self.connection.startswith(SESSIONLESS)


class Runtime(Protocol):
    """Everything a handler may use, built on first use by `app`."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def tree(self) -> Tree: ...
    @property
    def editor(self) -> Editor: ...
    @property
    def history(self) -> History: ...
    @property
    def commands(self) -> Commands: ...
    @property
    def regex(self) -> Regex: ...
    @property
    def confined(self) -> Confined: ...
    @property
    def grep(self) -> Grep: ...
    @property
    def previews(self) -> Previews: ...
    @property
    def llm(self) -> Llm | None: ...
    @property
    def reads(self) -> Reads:
        """Read handlers note here what they showed; edits by line ask what was seen."""

    @property
    def git(self) -> Git:
        """Repositories, for reading."""

    @property
    def images(self) -> Images:
        """Pictures."""

    @property
    def grants(self) -> Grants:
        """Permissions a person gave."""

    @property
    def code_index(self) -> CodeIndex:
        """Symbols and uses of the whole workspace."""

    @property
    def analysis(self) -> Analysis:
        """The syntax of texts."""

    def take_notices(self) -> Sequence[str]:
        """What happened to the workspace that nobody asked for; each is given once."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Settings a dialect may ask for by name."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what is listed and what runs.

    `handler` is "package.module:function". `writes` is True when a call may change the workspace:
    such tools are neither listed nor callable with --read-only. `unlisted` names arguments that
    are accepted but not in the schema.
    """

    name: str
    title: str
    description: str
    input_schema: Json
    handler: str
    hints: Hints
    output_schema: Json | None = None
    writes: bool = False
    aliases: tuple[str, ...] = ()
    meta: Json | None = None
    unlisted: tuple[str, ...] = ()

    def load(self) -> Handler:
        """The handler, imported now."""
        module, _, function = self.handler.partition(":")
        handler: Handler = getattr(import_module(module), function)
        return handler


@dataclass(frozen=True, slots=True)
class Dialect:
    """A toolset: its tools and its way of speaking of failures.

    `wording` is "package.module:function", loaded when something fails. `strict_handshake` means
    calls before `initialize` are refused (-32002). `adapt` may change a listed tool for a client
    (for example leave out outputSchema on an old revision): "package.module:function" taking
    (tool_as_json, Client) and returning the json.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]
    wording: str
    strict_handshake: bool = False
    adapt: str | None = None
    instructions: str = ""
