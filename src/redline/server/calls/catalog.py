"""The tools that are on: chosen, without clashes, in an order that never changes."""

# Without `from __future__ import annotations`: annotations of named tuples that are text would be
# compiled whenever a server starts.
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from redline.core.access.rights import Rights
from redline.toolsets import OWN, TOOLSETS
from redline.toolsets.tool import (
    Client,
    Hints,
    Json,
    ProtocolProfile,
    SharedTool,
    Tool,
    Toolset,
    load_function,
)

if TYPE_CHECKING:
    from redline.services.runtime import Runtime

# Clients that reject the whole list for one dotted name, by the start of their initialize name.
_REJECT_DOTS = ("claude-ai", "claude desktop", "claude-desktop", "claude code", "claude-code")
_MAX_CACHED_LISTINGS = 32


class CatalogError(Exception):
    """The chosen toolsets cannot be served together, or do not exist."""


class CatalogEntry(NamedTuple):
    """One callable tool and the toolset that reports its failures."""

    tool: Tool
    toolset: Toolset


class _Shared(NamedTuple):
    """Both versions of a tool that two toolsets share, and the rule that chooses one."""

    rule: SharedTool
    own: CatalogEntry
    other: CatalogEntry


class Catalog:
    """The tools that are on; finds, lists and routes them."""

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        *,
        read_only: bool = False,
        tool_names: str = "auto",
        without: Sequence[str] = (),
        structured: bool = False,
    ) -> None:
        self.toolsets = tuple(toolsets)
        self._structured = structured
        self._adapt = {each.name: load_function(each.adapt) for each in toolsets if each.adapt}
        self.read_only = read_only
        self._tool_names = tool_names
        self._listed: dict[str, CatalogEntry] = {}
        self._refused: dict[str, CatalogEntry] = {}
        self._by_name: dict[str, CatalogEntry] = {}
        self._shared: dict[str, _Shared] = {}
        self._listings: dict[tuple[str, str, str, Rights, bool], list[Json]] = {}
        for toolset in self.toolsets:
            for tool in toolset.tools:
                if tool.name not in without:
                    self._add(CatalogEntry(self._as_served(tool, toolset), toolset))
        self._add_names()

    @property
    def profile(self) -> ProtocolProfile:
        """What the protocol layer follows: a single toolset's specification, or MCP itself."""
        return self.toolsets[0].profile if len(self.toolsets) == 1 else ProtocolProfile()

    @property
    def tools(self) -> list[Tool]:
        """The listed tools, in order."""
        return [entry.tool for entry in self._listed.values()]

    @property
    def names(self) -> list[str]:
        """Every listed name, in order."""
        return list(self._listed)

    def names_for(self, client: Client) -> list[str]:
        """Return every name that *client* may call, in order."""
        return [name for name, entry in self._listed.items() if _may_call(client, entry)]

    def is_structured(self, entry: CatalogEntry) -> bool:
        """Return whether answers of this tool carry structuredContent."""
        return self._structured or not entry.toolset.answers_in_text

    def _as_served(self, tool: Tool, toolset: Toolset) -> Tool:
        entry = CatalogEntry(tool, toolset)
        return tool if self.is_structured(entry) else tool._replace(output_schema=None)

    def _add(self, entry: CatalogEntry) -> None:
        name = entry.tool.name
        if self.read_only and entry.tool.writes:
            self._refused[name] = entry
            return
        if name not in self._listed:
            self._listed[name] = entry
            return
        other = self._listed[name]
        shared = _shared_by(entry, other) or _shared_by(other, entry)
        if shared is None:
            raise CatalogError(
                f"Toolsets {other.toolset.name} and {entry.toolset.name} both have a tool {name}"
            )
        self._shared[name] = shared
        self._listed[name] = CatalogEntry(_merge(shared), other.toolset)

    def _add_names(self) -> None:
        for entries in (self._listed, self._refused):
            for name, entry in entries.items():
                for accepted in (name, portable(name), *entry.tool.aliases):
                    self._by_name.setdefault(accepted, entry)

    def find(self, name: str) -> CatalogEntry | None:
        """Return the tool with this name or alias, with dots or without."""
        return self._by_name.get(name)

    def is_refused(self, entry: CatalogEntry) -> bool:
        """Return whether --read-only keeps this tool from running."""
        return self.read_only and entry.tool.writes

    def route(
        self, entry: CatalogEntry, arguments: Json, runtime: "Runtime"
    ) -> tuple[CatalogEntry, Json]:
        """Return the entry that answers a call, and its arguments.

        That is *entry* itself, except for a tool that two toolsets share.
        """
        shared = self._shared.get(entry.tool.name)
        if shared is None:
            return entry, arguments
        choose = load_function(shared.rule.choose)
        own: Json | None = choose(arguments, shared.own.tool, shared.other.tool, runtime)
        return (shared.other, arguments) if own is None else (shared.own, own)

    def list(self, client: Client) -> list[Json]:
        """Return the tools as this client should see them."""
        key = (client.protocol, client.name, client.version, client.rights, client.shows_apps)
        known = self._listings.get(key)
        if known is None:
            entries = self._listed.values()
            known = [self._wire(entry, client) for entry in entries if _may_call(client, entry)]
            if len(self._listings) < _MAX_CACHED_LISTINGS:
                self._listings[key] = known
        return known

    def shown_name(self, name: str, client: Client) -> str:
        """Return the name of a tool in the list of *client*."""
        return name if self._keeps_dots(client) else portable(name)

    def _keeps_dots(self, client: Client) -> bool:
        if self._tool_names == "auto":
            return not client.name.lower().startswith(_REJECT_DOTS)
        return self._tool_names == "original"

    def _wire(self, entry: CatalogEntry, client: Client) -> Json:
        tool = wire(entry.tool, entry.toolset)
        if entry.tool.app and client.shows_apps:
            tool["_meta"] = {**tool.get("_meta", {}), "ui": {"resourceUri": entry.tool.app}}
        adapt = self._adapt.get(entry.toolset.name)
        if adapt is not None:
            tool = adapt(tool, client)
        return {**tool, "name": self.shown_name(tool["name"], client)}


def _may_call(client: Client, entry: CatalogEntry) -> bool:
    return client.rights >= entry.tool.rights


def wire(tool: Tool, toolset: Toolset) -> Json:
    """Return the object in tools/list of a tool of *toolset*."""
    body: Json = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        body["outputSchema"] = tool.output_schema
    titles = {"title": tool.title} if toolset.titles_in_annotations else {}
    body["annotations"] = titles | tool.hints.wire()
    if tool.meta is not None:
        body["_meta"] = tool.meta
    return body


def portable(name: str) -> str:
    """Replace the dots of a name, for clients that reject them."""
    return name.replace(".", "_")


def load_toolsets(chosen: Iterable[str], extra: Mapping[str, str] | None = None) -> list[Toolset]:
    """Import the TOOLSET values of the chosen toolsets, in the order of TOOLSETS.

    `all` leaves `agent` out: it does what the others do, and shares a name with one of them.
    """
    wanted = list(chosen)
    modules = {**TOOLSETS, **(extra or {})}
    unknown = [name for name in wanted if name != "all" and name not in modules]
    if unknown or not wanted:
        given = unknown[0] if unknown else "(none)"
        raise CatalogError(f"No such toolset: {given} (there are: {', '.join(modules)}, all)")
    return [
        import_module(module).TOOLSET
        for name, module in modules.items()
        if name in wanted or ("all" in wanted and name != OWN)
    ]


class CatalogChoice(NamedTuple):
    """The tools that the settings choose, and those at further addresses beside them.

    `names` are the addresses: /mcp/NAME has the toolset NAME, with exactly its tools and its
    protocol profile. There are none where the person chose the tools.
    """

    chosen: Catalog
    names: tuple[str, ...]
    open: Callable[[str], Catalog]


def choose_catalogs(
    tools: Sequence[str],
    extra: Mapping[str, str] | None = None,
    *,
    read_only: bool = False,
    tool_names: str = "auto",
    without: Sequence[str] = (),
    structured: bool = False,
) -> CatalogChoice:
    """Return what *tools* chooses; without any it is `agent`, and every toolset beside it."""

    def build(names: Sequence[str]) -> Catalog:
        return Catalog(
            load_toolsets(names, extra),
            read_only=read_only,
            tool_names=tool_names,
            without=without,
            structured=structured,
        )

    names = () if tools else (*TOOLSETS, "all")
    return CatalogChoice(build(tools or (OWN,)), names, lambda name: build((name,)))


def _shared_by(own: CatalogEntry, other: CatalogEntry) -> _Shared | None:
    rule = own.toolset.profile.shared_tool
    if rule is None or (rule.name, rule.other_toolset) != (own.tool.name, other.toolset.name):
        return None
    return _Shared(rule, own, other)


def _merge(shared: _Shared) -> Tool:
    """Build the listed form of a shared tool: every option of both, hints they agree on."""
    own, other = shared.own.tool, shared.other.tool
    required = other.input_schema.get("required", ())
    schemas = (other.input_schema, own.input_schema)
    agreed = (a if a == b else None for a, b in zip(own.hints, other.hints, strict=True))
    return Tool(
        name=own.name,
        title=own.title,
        description=shared.rule.description,
        input_schema={
            "type": "object",
            "properties": {k: v for s in schemas for k, v in s.get("properties", {}).items()},
            "required": [name for name in own.input_schema.get("required", ()) if name in required],
            "additionalProperties": False,
        },
        handler=own.handler,
        hints=Hints(*agreed),
    )
