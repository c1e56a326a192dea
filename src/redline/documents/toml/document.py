"""Lossless edits of TOML 1.0."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import tomllib
from typing import Any

from redline.core.errors import CannotApply, DocumentSyntax, NestsTooDeep, NodeNotFound
from redline.core.splice import Splice
from redline.documents.base import model
from redline.documents.base.depth import value_too_deep
from redline.documents.base.path import Path, Segment, render_path
from redline.documents.toml.engine import layout
from redline.documents.toml.engine.index import Node, Tables, TomlIndex, Value
from redline.documents.toml.engine.scan import render_key
from redline.documents.toml.verify import TomlIntent, TomlVerifier, parse, parse_slowly

_MULTI_LINE = ('"""', "'''")
_TO_ESCAPE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_ON_ONE_LINE = re.compile(rf"['\n]|{_TO_ESCAPE.pattern}")
_NOT_LITERAL = re.compile(rf"'''|{_TO_ESCAPE.pattern}")


def render(value: Any) -> str:
    """Return a plain value on one line of TOML; TOML has no null."""
    if value is None:
        raise CannotApply("TOML has no null", hint="delete the key instead")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return _container(value)


def render_like(value: str, like: str) -> str | None:
    """Return a text between the quotes of the literal or multi-line string *like*.

    None where it has to be a basic string on one line.
    """
    if like[:1] == "'" and like[:3] != "'''":
        return None if _NOT_ON_ONE_LINE.search(value) else f"'{value}'"
    quotes, start = like[:3], "\n" if like[3:4] == "\n" else ""
    if quotes not in _MULTI_LINE or "\n" not in value or "\r" in value + like:
        return None
    if not start and value.startswith("\n"):
        return None  # a parser leaves out a line end at the start
    if quotes == "'''":
        is_literal = not _NOT_LITERAL.search(value) and not value.endswith("'")
        return f"{quotes}{start}{value}{quotes}" if is_literal else None
    text = _TO_ESCAPE.sub(lambda m: f"\\u{ord(m[0]):04X}", value.replace("\\", "\\\\"))
    text = text.replace('"""', '""\\"')
    if text.endswith('"'):
        text = text[:-1] + '\\"'
    return f"{quotes}{start}{text}{quotes}"


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _container(value: Any) -> str:
    if isinstance(value, dict):
        pairs = [f"{render_key(str(key))} = {render(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    return f"[{', '.join(render(item) for item in value)}]"


_NAMES = {
    "table": "table",
    "dotted": "table",
    "inline": "table",
    "array": "sequence",
    "tables": "sequence",
}


def _name(node: Node) -> str:
    return _NAMES.get(node.kind, "scalar")


class TomlDocument:
    """One TOML document; parsing it validates all of it."""

    format = "toml"

    def __init__(self, source: bytes) -> None:
        model.require_text(source, "TOML", model.MAX_PARSED_BYTES)
        self.source = source
        self._index = _index(source)
        self._verifier = TomlVerifier(source, self._index.depth)
        self._root = self._index.root()

    def get(self, path: Path) -> model.Slice:
        """Return the value's source slice; a table gives the lines of its sections."""
        item = self._locate(path)
        kind = {"sequence": "sequence", "table": "mapping"}.get(_name(item), "scalar")
        if not path:
            return model.slice_of(self.source, self._index.bom, len(self.source), "mapping")
        start, end = layout.range_of(self._index, item)
        return model.slice_of(self.source, start, end, kind)

    def set(self, path: Path, value: str, *, create_parents: bool = False) -> model.DocumentEdit:
        """Replace the value, or create the key of a table."""
        fragment = self._fragment(value)
        try:
            item = self._locate(path)
        except NodeNotFound as error:
            return self._create(path, fragment, error, create_parents=create_parents)
        if not path:
            raise CannotApply("The whole document cannot be set", hint="set its keys one by one")
        if not isinstance(item, Value):
            raise CannotApply(
                f"A table with lines of its own is not replaced as one value: {render_path(path)}",
                hint="set its keys one by one, or delete it and insert the new one",
            )
        splices = [Splice(item.start, item.end, fragment.encode("utf-8"))]
        return self._verify_edit(splices, "set", path, fragment)

    def insert(self, path: Path, value: str, *, after: str | None = None) -> model.DocumentEdit:
        """A list item before an index, or a new key of a table."""
        if not path:
            raise CannotApply("The whole document cannot be inserted")
        fragment = self._fragment(value)
        try:
            parent = self._locate(path[:-1])
        except NodeNotFound as error:
            raise model.as_refusal(error) from None
        last = path[-1]
        if isinstance(last, int) and after is None:
            return self._insert_item(path, parent, last, fragment)
        if _name(parent) != "table" or isinstance(last, int):
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, _name(parent)))
        if not isinstance(parent, Tables) and parent.child(last) is not None:
            raise model.key_exists(path)
        if after is None:
            splices = layout.append_key(self._index, parent, path[:-1], (last,), fragment)
        else:
            splices = layout.add_after(self._index, parent, after, last, fragment)
            if len(splices) != 1:
                raise model.no_sibling(path, after)
        return self._verify_edit(splices, "insert", path, fragment)

    def rename(self, path: Path, name: str) -> model.DocumentEdit:
        """Write another name in every statement and header that names the key."""
        self._locate(path)
        if not path or isinstance(path[-1], int):
            raise model.not_a_key(path)
        parent = self._locate(path[:-1])
        if not isinstance(parent, Tables) and parent.child(name) is not None:
            raise model.key_exists((*path[:-1], name))
        splices = layout.rename_key(self._index, parent, str(path[-1]), name)
        return self._verify_edit(splices, "rename", path, name)

    def delete(self, path: Path) -> model.DocumentEdit:
        """Remove the key, item or table with its same-line comment and the comment above."""
        if not path:
            raise CannotApply("The whole document cannot be deleted")
        parent = self._locate(path[:-1])
        self._step(parent, path, len(path) - 1)
        if isinstance(parent, Tables) and parent.length == 1:
            name = render_path(path[:-1])
            raise CannotApply(
                f"It is the only [[{name}]] table, and TOML has no empty list of them",
                hint=f"delete {name}",
            )
        splices = layout.remove(self._index, parent, self._exact(path)[-1])
        return self._verify_edit(splices, "delete", path, "")

    def data(self) -> Any:
        """Return the document as plain values; dates and times as their text."""
        return parse(self.source, float, self._index.depth)

    def read_typed(self, value: str, at: Path) -> str:  # noqa: ARG002 - what is typed is exact here
        """*value* as it is."""
        return value

    def render(self, value: Any, at: Path = ()) -> str:
        """*value* as one line of TOML, or as several where a text of several lines is."""
        alike = self._render_like(value, at) if isinstance(value, str) else None
        return render(value) if alike is None else alike

    def _render_like(self, value: str, at: Path) -> str | None:
        try:
            item = self._locate(at)
        except NodeNotFound:
            return None
        if not isinstance(item, Value):
            return None
        return render_like(value, self.source[item.start : item.end].decode("utf-8"))

    def _locate(self, path: Path) -> Node:
        node: Node = self._root
        for depth in range(len(path)):
            node = self._step(node, path, depth)
        return node

    def _step(self, node: Node, path: Path, depth: int) -> Node:
        """Return what the segment of *path* at *depth* leads to from *node*."""
        segment = path[depth]
        if isinstance(segment, int):
            if not isinstance(node, Value | Tables) or _name(node) != "sequence":
                raise model.wrong_shape(path, depth, _name(node))
            try:
                return node.item(segment)
            except IndexError:
                raise model.out_of_range(path, depth, node.length) from None
        if isinstance(node, Tables) or _name(node) != "table":
            raise model.wrong_shape(path, depth, _name(node))
        child = node.child(segment)
        if child is None:
            raise model.missing_key(path, depth, node.names())
        return child

    def _exact(self, path: Path) -> Path:
        """*path* with negative indexes counted from the front."""
        exact: list[Segment] = []
        for segment in path:
            if isinstance(segment, int) and segment < 0:
                holder = self._locate(tuple(exact))
                segment += holder.length if isinstance(holder, Value | Tables) else 0
            exact.append(segment)
        return tuple(exact)

    def _create(
        self, path: Path, fragment: str, error: NodeNotFound, *, create_parents: bool
    ) -> model.DocumentEdit:
        depth = len(path) - 1
        while True:
            try:
                parent = self._locate(path[:depth])
                break
            except NodeNotFound:
                depth -= 1
        names = tuple(s for s in path[depth:] if isinstance(s, str))
        if _name(parent) != "table" or len(names) != len(path) - depth:
            raise model.as_refusal(error)
        if len(names) > 1 and not create_parents:
            raise model.missing_levels(error)
        splices = layout.append_key(self._index, parent, path[:depth], names, fragment)
        return self._verify_edit(splices, "insert", path, fragment)

    def _insert_item(
        self, path: Path, parent: Node, index: int, fragment: str
    ) -> model.DocumentEdit:
        if not isinstance(parent, Value | Tables) or _name(parent) != "sequence":
            raise model.as_refusal(model.wrong_shape(path, len(path) - 1, _name(parent)))
        length = parent.length
        position = model.resolve_index(index, length)
        if position is None and index != length:
            raise model.as_refusal(model.out_of_range(path, len(path) - 1, length))
        position = length if position is None else position
        if isinstance(parent, Tables):
            splices = layout.insert_table(self._index, parent, position, fragment)
        else:
            splices = layout.insert_item(self._index, parent, position, fragment)
        return self._verify_edit(splices, "insert", (*path[:-1], position), fragment)

    def _verify_edit(
        self, splices: list[Splice], action: str, path: Path, fragment: str
    ) -> model.DocumentEdit:
        edit = model.DocumentEdit.of(self.source, splices)
        self._verifier.check(edit, TomlIntent(action, self._exact(path), fragment))
        return edit

    def _fragment(self, value: str) -> str:
        text = value.strip(" \t\r\n")
        try:
            found = layout.value_of(text)
            parse_slowly(f"x = {text}\n".encode(), float)
        except NestsTooDeep:
            raise value_too_deep() from None
        except (DocumentSyntax, UnicodeEncodeError) as error:
            raise CannotApply(
                f"Value is not TOML: {_reason(text, error)}",
                hint='text needs quotes: "..."',
                details={"misread": "text"},
            ) from None
        return found.index.source[found.start : found.end].decode("utf-8")


def _index(source: bytes) -> TomlIndex:
    """Return the located document; where the text is not shaped like TOML, a parser says why."""
    try:
        return TomlIndex(source)
    except NestsTooDeep:
        # For a key with thousands of parts every parser creates thousands of tables.
        raise
    except DocumentSyntax:
        parse_slowly(source, float)
        raise


def _reason(text: str, error: Exception) -> str:
    """What the standard library says about a value, without the position, which counts `x = `."""
    try:
        tomllib.loads(f"x = {text}\n")
    except (ValueError, RecursionError) as better:
        return str(better).partition(" (at ")[0]
    return str(error)
