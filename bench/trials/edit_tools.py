"""Find the tool of any MCP server that replaces text in a file, and call it as it wants to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from redline.core.errors import InvalidArgument, NotFound

Json = dict[str, Any]

# Names of arguments by what they mean, without case and separators; the most usual first.
_PATHS = ("path", "filepath", "file", "filename", "targetfile", "relativepath", "absolutepath")
_OLDS = ("oldtext", "oldstring", "oldstr", "old", "search", "oldcontent", "find", "searchtext")
_NEWS = ("newtext", "newstring", "newstr", "new", "replace", "newcontent", "replacement")
# What a tool with a command among its arguments calls the replacement of text.
_COMMANDS = ("str_replace", "replace", "edit")
_READERS = ("read_file", "read_text_file", "read", "view", "open_file")


class ToolShape(NamedTuple):
    """How a tool takes an edit: names of its arguments, and those that are always the same.

    `edits` is the name of a list of edits; empty where a call has one edit. `path_inside` says that
    each edit of the list names its file.
    """

    tool: str
    path: str
    old: str
    new: str
    edits: str = ""
    path_inside: bool = False
    always: tuple[tuple[str, Any], ...] = ()

    @property
    def takes_many(self) -> bool:
        """Whether one call may have several edits."""
        return bool(self.edits)

    def arguments(self, path: str, edits: Sequence[Mapping[str, str]]) -> Json:
        """The arguments of a call with *edits*, each with oldText and newText."""
        items = [{self.old: edit["oldText"], self.new: edit["newText"]} for edit in edits]
        call: Json = dict(self.always)
        if self.edits:
            placed = [{self.path: path, **item} if self.path_inside else item for item in items]
            return {**call, self.edits: placed, **({} if self.path_inside else {self.path: path})}
        return {**call, self.path: path, **items[0]}


def find_edit_tool(tools: Iterable[Json], name: str = "") -> ToolShape:
    """The first tool, or the one called *name*, that takes old and new text; NotFound."""
    listed = list(tools)
    for tool in listed:
        if name and tool.get("name") != name:
            continue
        shape = _shape_of(tool)
        if shape is not None:
            return shape
    names = ", ".join(str(tool.get("name")) for tool in listed[:40]) or "none"
    if name:
        raise InvalidArgument(
            f"This is not a tool that takes old and new text: {name}", hint=f"it has: {names}"
        )
    raise NotFound("", f"The server lists no tool that takes old and new text; it has: {names}")


def find_read_tool(tools: Iterable[Json]) -> tuple[str, str] | None:
    """A tool that reads a file and its argument for the path; None where there is none."""
    by_name = {str(tool.get("name")): tool for tool in tools}
    for name in _READERS:
        schema = _schema_of(by_name.get(name, {}))
        path = _pick(schema.get("properties", {}), _PATHS)
        if path and set(schema.get("required", ())) <= {path}:
            return name, path
    return None


def _shape_of(tool: Json) -> ToolShape | None:
    schema = _schema_of(tool)
    properties = schema.get("properties", {})
    name, path = str(tool.get("name")), _pick(properties, _PATHS)
    old, new = _pick(properties, _OLDS), _pick(properties, _NEWS)
    if path and old and new:
        return _complete(schema, ToolShape(name, path, old, new))
    for list_name, listed in properties.items():
        items = listed.get("items") if isinstance(listed, dict) else None
        inner = items.get("properties", {}) if isinstance(items, dict) else {}
        old, new, own = _pick(inner, _OLDS), _pick(inner, _NEWS), _pick(inner, _PATHS)
        if old and new and (path or own):
            shape = ToolShape(name, path or own, old, new, list_name, path_inside=not path)
            return _complete(schema, shape)
    return None


def _complete(schema: Json, shape: ToolShape) -> ToolShape | None:
    """Fill in what else the tool requires; None where that cannot be guessed."""
    given = {shape.old, shape.new} if not shape.edits else {shape.edits}
    if not shape.path_inside:
        given.add(shape.path)
    always = []
    for name in schema.get("required", ()):
        if name in given:
            continue
        value = _usual_value(schema["properties"].get(name, {}))
        if value is None:
            return None
        always.append((name, value))
    return shape._replace(always=tuple(always))


def _usual_value(schema: Any) -> Any:
    """A value for a required argument that is not about the edit itself."""
    if not isinstance(schema, dict):
        return None
    choices = schema.get("enum", ())
    for command in _COMMANDS:
        if command in choices:
            return command
    if "default" in schema:
        return schema["default"]
    if schema.get("type") == "boolean":
        return False
    # An explanation or an instruction in words.
    return "Replace the text" if schema.get("type") == "string" and not choices else None


def _schema_of(tool: Json) -> Json:
    schema = tool.get("inputSchema")
    return schema if isinstance(schema, dict) else {}


def _pick(properties: Any, wanted: Sequence[str]) -> str:
    """The argument with the most usual of the *wanted* names."""
    if not isinstance(properties, dict):
        return ""
    folded = {name.replace("_", "").replace("-", "").lower(): name for name in properties}
    return next((folded[name] for name in wanted if name in folded), "")
