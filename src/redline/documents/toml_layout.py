"""Where TOML keys, items and tables are added and taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from redline.core.errors import CannotApply
from redline.core.splice import Splice
from redline.documents.path import Segment
from redline.documents.toml_index import Entry, Item, TomlIndex, render_key

_COMMA = re.compile(rb"(?:[ \t\r\n]+|#[^\n]*)*,")


def newline_of(source: bytes) -> bytes:
    """The line break most lines end with."""
    crlf = source.count(b"\r\n")
    return b"\r\n" if crlf > source.count(b"\n") - crlf else b"\n"


def range_of(index: TomlIndex, item: Item) -> tuple[int, int]:
    """The bytes of a value, or from the first to the last line of a table."""
    if item.kind not in ("table", "implicit", "tables", "dotted"):
        return item.start, item.end
    starts, ends = [item.start], [item.last if item.last >= 0 else item.start]
    for section, _ in item.sections:
        starts.append(section)
    for inner in (*item.keys.values(), *item.items):
        start, end = range_of(index, inner.value)
        starts.append(min(inner.start, start))
        ends.append(end)
    return min(starts), max(ends)


def append_key(
    index: TomlIndex, parent: Item, where: Sequence[Segment], names: tuple[str, ...], value: str
) -> list[Splice]:
    """A new `key = value` in the shape and place of its siblings."""
    key = ".".join(render_key(name) for name in names)
    if parent.kind == "inline":
        return _append_inline(index, parent, f"{key} = {value}")
    if parent.kind == "dotted":
        raise CannotApply("A dotted key inside an inline table gets no siblings")
    newline = newline_of(index.source)
    home = parent if parent.home is parent else parent.home
    if home is None:
        return _new_section(index, parent, where, f"{key} = {value}")
    if parent is not home:
        key = ".".join([*(render_key(name) for name in parent.prefix), key])
    text = f"{key} = {value}".encode()
    anchor = parent.last if parent.last >= 0 else home.last
    if anchor < 0:
        return _first_of_root(index, text, newline)
    at = index.line_stop(anchor)
    return [Splice(at, at, newline + _indent(index.source, anchor) + text)]


def _indent(source: bytes, anchor: int) -> bytes:
    start = source.rfind(b"\n", 0, anchor) + 1
    line = source[start:anchor]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _first_of_root(index: TomlIndex, text: bytes, newline: bytes) -> list[Splice]:
    """The first key of the top level: before the first table, or behind leading comments."""
    source = index.source
    if index.headers:
        at = _head(source, index.headers[0], index.bom)
        return [Splice(at, at, text + newline + newline)]
    at = len(source)
    if at == index.bom or source.endswith(b"\n"):
        return [Splice(at, at, text + newline)]
    return [Splice(at, at, newline + text)]


def _new_section(
    index: TomlIndex, parent: Item, where: Sequence[Segment], text: str
) -> list[Splice]:
    """A header of its own for a table that so far exists only through its sub-tables."""
    names = [s for s in where if isinstance(s, str)]
    if len(names) != len(where):
        raise CannotApply("A table inside an array of tables is not created this way")
    newline = newline_of(index.source)
    header = f"[{'.'.join(render_key(name) for name in names)}]".encode()
    at = _head(index.source, parent.start, index.bom)
    return [Splice(at, at, header + newline + text.encode() + newline + newline)]


def _append_inline(index: TomlIndex, table: Item, text: str) -> list[Splice]:
    source = index.source
    if not table.items:
        inner = b" " + text.encode() + b" " if source[table.start + 1 : table.end - 1] else b""
        if inner:
            return [Splice(table.start + 1, table.end - 1, inner)]
        return [Splice(table.start + 1, table.start + 1, text.encode())]
    last = table.items[-1].value.end
    return [Splice(last, last, b", " + text.encode())]


def insert_item(index: TomlIndex, array: Item, position: int, value: str) -> list[Splice]:
    """A list item in front of another, or behind the last."""
    source, data = index.source, value.encode()
    if not array.items:
        return [Splice(array.start + 1, array.start + 1, data)]
    if position < len(array.items):
        start = array.items[position].start
        return [Splice(start, start, data + b"," + _gap(source, array))]
    last = array.items[-1].value.end
    comma = _COMMA.match(source, last, array.end)
    gap = _gap(source, array)
    if comma is None:
        return [Splice(last, last, b"," + gap + data)]
    return [Splice(comma.end(), comma.end(), gap + data + b",")]


def _gap(source: bytes, array: Item) -> bytes:
    first = array.items[0].start
    lead = source[array.start + 1 : first]
    if b"\n" in lead:
        line = source.rfind(b"\n", 0, first) + 1
        return newline_of(source) + source[line:first]
    for left, right in pairwise(array.items[-2:]):
        between = source[left.value.end : right.start]
        if between.startswith(b",") and not between[1:].strip(b" \t"):
            return between[1:]
    return b" "


def insert_table(index: TomlIndex, tables: Item, position: int, value: str) -> list[Splice]:
    """A new `[[table]]` section from an inline table."""
    fragment = TomlIndex(f"x = {value}\n".encode())
    table = fragment.root.keys["x"].value
    if table.kind != "inline":
        raise CannotApply(
            "An array of tables takes a table", hint="give it as an inline table: { key = value }"
        )
    newline = newline_of(index.source)
    pairs = [fragment.source[e.start : e.value.end] for e in table.items]
    sample = tables.items[0].value
    header = b"[[" + b".".join(render_key(n).encode() for n in sample.path) + b"]]"
    text = newline.join([header, *pairs])
    if position < len(tables.items):
        at = _head(index.source, tables.items[position].start, index.bom)
        return [Splice(at, at, text + newline + newline)]
    at = index.line_stop(range_of(index, tables.items[-1].value)[1])
    return [Splice(at, at, newline + newline + text)]


def remove(index: TomlIndex, parent: Item, last: Segment) -> list[Splice]:
    """Splices that take one key, item or table out."""
    entry = parent.items[last] if isinstance(last, int) else parent.keys[last]
    if parent.kind == "array" or (parent.kind == "inline" and entry.value.kind != "dotted"):
        return [_remove_listed(index, parent, entry)]
    if parent.kind in ("inline", "dotted"):
        raise CannotApply("A dotted key inside an inline table is not deleted this way")
    pieces = _pieces(index, entry)
    return [Splice(start, end, b"") for start, end in _merged(pieces)]


def _remove_listed(index: TomlIndex, parent: Item, entry: Entry) -> Splice:
    source = index.source
    position = next(i for i, item in enumerate(parent.items) if item.value is entry.value)
    start, end = parent.items[position].start, entry.value.end
    if len(parent.items) == 1:
        return Splice(parent.start + 1, parent.end - 1, b"")
    if position + 1 < len(parent.items):
        following = parent.items[position + 1].start
        own_line = not source[source.rfind(b"\n", 0, start) + 1 : start].strip()
        if own_line and b"\n" in source[end:following]:
            line = source.rfind(b"\n", 0, start) + 1
            stop = source.find(b"\n", end) + 1
            return Splice(line, stop, b"")
        return Splice(start, following, b"")
    previous = parent.items[position - 1].value.end
    comma = _COMMA.match(source, end, parent.end)
    if b"#" in source[previous:start]:
        line = source.rfind(b"\n", 0, start)
        line -= 1 if source[line - 1 : line] == b"\r" else 0
        return Splice(line, comma.end() if comma else end, b"")
    if comma is None:
        return Splice(previous, end, b"")
    kept = _COMMA.match(source, previous, parent.end)
    return Splice(kept.end() if kept else previous, comma.end(), b"")


def _pieces(index: TomlIndex, entry: Entry) -> list[tuple[int, int]]:
    """The line ranges that define a key or a table, everything beneath it included."""
    item = entry.value
    if item.kind in ("table", "implicit", "tables"):
        found = [_section(index, *section) for section in item.sections]
        for inner in (*item.keys.values(), *item.items):
            found += _pieces(index, inner)
        return found
    return [_statement(index, entry)]


def _section(index: TomlIndex, start: int, end: int) -> tuple[int, int]:
    begin = _head(index.source, start, index.bom)
    stop = _head(index.source, end, index.bom) if end < len(index.source) else end
    return begin, max(stop, start)


def _statement(index: TomlIndex, entry: Entry) -> tuple[int, int]:
    source = index.source
    stop = source.find(b"\n", index.line_stop(entry.value.end)) + 1 or len(source)
    start = _head(source, entry.start, index.bom)
    if stop == len(source) and not source.endswith(b"\n") and start > index.bom:
        start -= 2 if source[start - 2 : start] == b"\r\n" else 1
    return start, stop


def _merged(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _head(source: bytes, start: int, bom: int) -> int:
    """The start of the line of *start*, or of the comment lines directly above it."""
    begin = max(source.rfind(b"\n", 0, start) + 1, bom)
    indent = source[begin:start]
    while begin > bom:
        above = max(source.rfind(b"\n", 0, begin - 1) + 1, bom)
        line = source[above:begin]
        if not (line.startswith(indent) and line[len(indent) :].startswith(b"#")):
            break
        begin = above
    return begin
