"""Dialects become one list of tools: chosen, without clashes, in an order that never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from redline.toolsets import TOOLSETS
from redline.toolsets.tool import Client, Dialect, Json, Tool

# Clients that refuse a whole list for one dotted name, by the start of their initialize name.
_REFUSE_DOTS = ("claude-ai", "claude desktop", "claude-desktop", "claude code", "claude-code")
_SHARED = "read_file"
_LISTINGS_KEPT = 32


class CatalogError(Exception):
    """The chosen toolsets cannot be served together, or do not exist."""


class Entry:
    """One callable tool and the dialect that words its failures."""

    __slots__ = ("dialect", "tool")

    def __init__(self, tool: Tool, dialect: Dialect) -> None:
        self.tool = tool
        self.dialect = dialect


class Catalog:
    """The tools that are on; finding, listing and routing them."""

    def __init__(
        self,
        dialects: Sequence[Dialect],
        *,
        read_only: bool = False,
        tool_names: str = "auto",
        without: Sequence[str] = (),
    ) -> None:
        self.dialects = tuple(dialects)
        self.read_only = read_only
        self._tool_names = tool_names
        self._listed: dict[str, Entry] = {}
        self._spellings: dict[str, Entry] = {}
        self._refused: dict[str, Entry] = {}
        self._listings: dict[tuple[str, str, str], list[Json]] = {}
        self._shared: tuple[Entry, Entry] | None = None
        for dialect in self.dialects:
            for tool in dialect.tools:
                if tool.name not in without:
                    self._add(Entry(tool, dialect))
        self._add_spellings()

    @property
    def only(self) -> Dialect | None:
        """The dialect that is on alone, if so."""
        return self.dialects[0] if len(self.dialects) == 1 else None

    @property
    def tools(self) -> list[Tool]:
        """The listed tools, in order."""
        return [entry.tool for entry in self._listed.values()]

    @property
    def names(self) -> list[str]:
        """Every listed name, in order."""
        return list(self._listed)

    def _add(self, entry: Entry) -> None:
        name = entry.tool.name
        if self.read_only and entry.tool.writes:
            self._refused[name] = entry
            return
        if name not in self._listed:
            self._listed[name] = entry
            return
        other = self._listed[name]
        pair = {entry.dialect.name: entry, other.dialect.name: other}
        if name != _SHARED or set(pair) != {"files", "coding"}:
            raise CatalogError(
                f"Toolsets {other.dialect.name} and {entry.dialect.name} both have a tool {name}"
            )
        self._shared = (pair["coding"], pair["files"])
        self._listed[name] = Entry(_merged(pair["coding"].tool, pair["files"].tool), other.dialect)

    def _add_spellings(self) -> None:
        for entries in (self._listed, self._refused):
            for name, entry in entries.items():
                for spelling in (name, portable(name), *entry.tool.aliases):
                    self._spellings.setdefault(spelling, entry)

    def find(self, name: str) -> Entry | None:
        """The tool of that name in any accepted spelling."""
        return self._spellings.get(name)

    def is_refused(self, entry: Entry) -> bool:
        """Whether --read-only keeps this tool from running."""
        return self.read_only and entry.tool.writes

    def route(self, entry: Entry, arguments: Mapping[str, Any]) -> Entry:
        """The entry that really answers: itself, except for the read_file two dialects share."""
        if self._shared is None or entry is not self._listed.get(_SHARED):
            return entry
        coding, files = self._shared
        names = set(arguments)
        fits_coding = names <= set(coding.tool.input_schema.get("properties", {}))
        fits_files = names <= set(files.tool.input_schema.get("properties", {}))
        if fits_files and (_is_absolute(arguments.get("path")) or not fits_coding):
            return files
        return coding

    def list(self, client: Client) -> list[Json]:
        """The tools as this client should see them."""
        key = (client.protocol, client.name, client.version)
        known = self._listings.get(key)
        if known is None:
            dotted = self._keeps_dots(client)
            known = [self._wire(entry, client, dotted) for entry in self._listed.values()]
            if len(self._listings) < _LISTINGS_KEPT:
                self._listings[key] = known
        return known

    def _keeps_dots(self, client: Client) -> bool:
        if self._tool_names == "auto":
            return not client.name.lower().startswith(_REFUSE_DOTS)
        return self._tool_names == "seed"

    def _wire(self, entry: Entry, client: Client, dotted: bool) -> Json:
        tool = wire(entry.tool)
        if entry.dialect.adapt is not None:
            tool = _load_adapt(entry.dialect.adapt)(tool, client)
        if not dotted:
            tool = {**tool, "name": portable(tool["name"])}
        return tool


def wire(tool: Tool) -> Json:
    """A tool as tools/list spells it."""
    body: Json = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        body["outputSchema"] = tool.output_schema
    body["annotations"] = tool.hints.wire()
    if tool.meta is not None:
        body["_meta"] = tool.meta
    return body


def portable(name: str) -> str:
    """The name with dots replaced, for clients that refuse them."""
    return name.replace(".", "_")


def load_dialects(chosen: Iterable[str], extra: Mapping[str, str] | None = None) -> list[Dialect]:
    """The DIALECT values of the chosen toolsets, in the order of TOOLSETS."""
    wanted = list(chosen)
    places = {**TOOLSETS, **(extra or {})}
    unknown = [name for name in wanted if name != "all" and name not in places]
    if unknown or not wanted:
        named = unknown[0] if unknown else "(none)"
        raise CatalogError(f"No such toolset: {named} (there are: {', '.join(places)}, all)")
    found: list[Dialect] = []
    for name in (name for name in places if name in wanted or "all" in wanted):
        try:
            found.append(import_module(places[name]).DIALECT)
        except ModuleNotFoundError as missing:
            if missing.name != places[name]:
                raise
            if name in wanted:
                raise CatalogError(f"Toolset is not part of this version: {name}") from None
    return found


def _merged(coding: Tool, files: Tool) -> Tool:
    properties = {
        **files.input_schema.get("properties", {}),
        **coding.input_schema.get("properties", {}),
    }
    return Tool(
        name=_SHARED,
        title=coding.title,
        description="Read a file by absolute or workspace-relative path, whole or by lines.",
        input_schema={
            "type": "object",
            "properties": properties,
            "required": ["path"],
            "additionalProperties": False,
        },
        handler=coding.handler,
        hints=files.hints,
    )


def _is_absolute(path: Any) -> bool:
    return isinstance(path, str) and (path.startswith(("/", "\\")) or path[1:3] in (":\\", ":/"))


def _load_adapt(name: str) -> Callable[[Json, Client], Json]:
    module, _, function = name.partition(":")
    adapt: Callable[[Json, Client], Json] = getattr(import_module(module), function)
    return adapt
