"""What a toolset consists of: its tools, their schemas, and what it asks of the protocol.

Listing tools needs this module and nothing else. Handlers are named by text ("module:function")
and imported by the first call, together with `toolsets.call`. The classes are named tuples, which
cost a starting server less than dataclasses do, least without `from __future__ import annotations`:
annotations that are text would be compiled one by one.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from redline.core.access.rights import ALL_RIGHTS, Right, Rights

Json = dict[str, Any]

# Prefix of the connection name of an HTTP client without a session; its principal follows.
SESSIONLESS = "http:"
# The extension by which clients show pages of a server beside its answers, and their media type.
APPS_EXTENSION = "io.modelcontextprotocol/ui"
APP_TYPE = "text/html;profile=mcp-app"
_CAPABILITIES: Json = {"tools": {"listChanged": False}, "logging": {}}


class Hints(NamedTuple):
    """MCP tool annotations; None leaves a hint out."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def wire(self) -> Json:
        """Return the annotations object of tools/list."""
        pairs = {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }
        return {key: value for key, value in pairs.items() if value is not None}


READS = Hints(read_only=True, open_world=False)


class Client(NamedTuple):
    """Who is calling. `connection` is one stdio pipe or one HTTP session (or principal).

    `session` is the name that the client gives its session, if any; `rights` is what the person
    behind it may do.
    """

    name: str = ""
    version: str = ""
    protocol: str = "2025-11-25"
    principal: str = ""
    connection: str = "stdio"
    capabilities: Mapping[str, Any] = {}
    session: str = ""
    rights: Rights = ALL_RIGHTS

    @property
    def is_modern(self) -> bool:
        """Whether this client uses the stateless era of the protocol."""
        return self.protocol >= "2026-07-28"

    @property
    def shows_apps(self) -> bool:
        """Whether this client declares that it shows pages beside answers (MCP Apps)."""
        extensions = self.capabilities.get("extensions")
        declared = extensions.get(APPS_EXTENSION) if isinstance(extensions, dict) else None
        types = declared.get("mimeTypes") if isinstance(declared, dict) else None
        return isinstance(types, list) and APP_TYPE in types

    @property
    def has_session(self) -> bool:
        """Whether the connection identifies one client, not only its principal."""
        return not self.connection.startswith(SESSIONLESS)


_RIGHTS: dict[tuple[bool, bool], Rights] = {
    (False, False): frozenset({Right.READ}),
    (False, True): frozenset({Right.READ, Right.RUN}),
    (True, False): frozenset({Right.READ, Right.WRITE}),
    (True, True): frozenset({Right.READ, Right.WRITE, Right.RUN}),
}


class Tool(NamedTuple):
    """One tool: what is listed and what runs.

    `handler` is "package.module:function". `writes` is True when a call may change the workspace:
    such tools are neither listed nor callable with --read-only. `runs` is True when it starts or
    controls commands. `unlisted` names arguments that are accepted but not in the schema. `app` is
    the address of the page that shows its answers, for clients that show one. `exact` is True when
    its handler reads numbers as the client wrote them: the request is kept as received for that.
    `words` is "package.module:mapping" with the names and values of other tools that it takes, by
    tool (see `toolsets.trained_words`); a tool that has them refuses names that it does not know.
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
    runs: bool = False
    app: str = ""
    exact: bool = False
    words: str = ""

    @property
    def rights(self) -> Rights:
        """What the caller must be allowed to do: its answers show files, commands change them."""
        return _RIGHTS[self.writes, self.runs]

    @property
    def argument_names(self) -> frozenset[str]:
        """The arguments that the schema lists."""
        return frozenset(self.input_schema.get("properties", {}))


class PromptArgument(NamedTuple):
    """One text that a person gives with a prompt; `completer` suggests values for it.

    A completer is "package.module:function"; it gets a Call with the text so far under the
    argument's name, and returns texts, the most likely first.
    """

    name: str
    description: str
    required: bool = False
    completer: str | None = None


class Prompt(NamedTuple):
    """A message to the model that a person picks in the client.

    `handler` is a handler as tools have them; each content block of its Result becomes a message.
    The prompt is offered where all of `tools`, those that its text names, are listed.
    """

    name: str
    title: str
    description: str
    handler: str
    arguments: tuple[PromptArgument, ...] = ()
    tools: tuple[str, ...] = ()


class Resource(NamedTuple):
    """Content that clients read by its address.

    `uri` is an address, or a template in which {name} is one segment: its decoded text is an
    argument of the handler. `handler` is a handler as tools have them; each content block of its
    Result becomes a part of the content. For a template, `lister` returns addresses to list (see
    `toolsets.call.ListedResource`) and `completer` suggests values. The resource is offered where
    all of `tools` are listed: who may not call these may not read it. Clients may keep its content
    for `ttl_ms`.
    """

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    handler: str
    lister: str | None = None
    completer: str | None = None
    tools: tuple[str, ...] = ()
    ttl_ms: int = 0
    meta: Json | None = None


class CancelAlias(NamedTuple):
    """A tool that runs when a cancellation names *parameter* instead of a request."""

    parameter: str
    tool: str


class SharedTool(NamedTuple):
    """A tool of the same name in another toolset: with both on, it is listed once.

    `choose` is "package.module:function", called as (arguments, own tool, other tool, runtime).
    It returns the arguments for this toolset's handler, or None when the other one answers.
    """

    name: str
    other_toolset: str
    description: str
    choose: str


class ProtocolProfile(NamedTuple):
    """What a toolset's specification asks of the protocol layer.

    `cancel_alias` and `shared_tool` apply whenever the toolset is on. The rest applies when it is
    served alone; several toolsets together follow MCP itself, which is what the defaults say.
    """

    capabilities: Mapping[str, Json] = _CAPABILITIES
    # Clients that ask for an older revision are refused, unless this is the first one.
    oldest_revision: str = "2024-11-05"
    # The newest one that a handshake agrees to, unless the settings name another; None: any.
    newest_revision: str | None = None
    # The revision of a client that names none; None: as MCP has it.
    default_revision: str | None = None
    # Requests of a stdio client are answered one after the other, in their order.
    one_at_a_time: bool = False
    # Calls before `initialize` are refused (-32002), and over HTTP the process is the session.
    strict_handshake: bool = False
    serves_batches: bool = True
    # Whether a message with "id": null is a request.
    null_id_is_request: bool = False
    # Whether `initialize` is answered even when its params are not an object.
    any_initialize_params: bool = False
    unknown_tool_code: int = -32602
    cancel_alias: CancelAlias | None = None
    shared_tool: SharedTool | None = None


class Toolset(NamedTuple):
    """Tools, prompts and resources that are switched on together, and how tools report failures.

    `wording` and `adapt` are "package.module:function". `wording` turns a failure into an answer
    (see `toolsets.call.Wording`). `adapt` takes (tool_as_json, Client) and returns the tool as
    that client should see it, for example without outputSchema on an old revision.
    `instructions` are sentences for every client that connects. Each names tools as {tool}, and is
    sent only where all of these are listed, with the names that the client sees. `paths` says which
    paths its tools take; with several toolsets on, the first that says so decides.
    `answers_in_text` says that the text is the whole answer: several clients show a model the
    structured form in its place, so that form and its schema are sent only with --structured.
    `tool_names` is "package.module:mapping": what to call here, by the folded names of tools that
    models know.
    `tells_news` says that an answer is followed by what others did to the session's work since.
    `titles_in_annotations` repeats the title of a tool there, for clients that look nowhere else.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]
    wording: str
    adapt: str | None = None
    instructions: tuple[str, ...] = ()
    paths: str = ""
    profile: ProtocolProfile = ProtocolProfile()
    titles_in_annotations: bool = False
    answers_in_text: bool = False
    tool_names: str = ""
    tells_news: bool = False
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()


def load_function(name: str) -> Any:
    """Import and return the function that "package.module:function" names."""
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
