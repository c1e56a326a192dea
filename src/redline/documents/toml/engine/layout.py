"""Where TOML keys, items and tables are added and removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.core.errors import CannotApply
from redline.core.splice import Splice
from redline.documents.base.path import Segment
from redline.documents.toml.engine.entries import Entries
from redline.documents.toml.engine.index import Dotted, Node, Table, Tables, TomlIndex, Value
from redline.documents.toml.engine.scan import (
    Span,
    Statement,
    comma_after,
    header_parts,
    key_parts,
    render_key,
)

_ENTRY = re.compile(rb"[ \t]*[^ \t\r\n#\[]")


def newline_of(source: bytes) -> bytes:
    """Return the line break most lines end with."""
    crlf = source.count(b"\r\n")
    return b"\r\n" if crlf > source.count(b"\n") - crlf else b"\n"


def range_of(index: TomlIndex, node: Node) -> tuple[int, int]:
    """Return the bytes of a value, or from the first to the last line of a table."""
    if isinstance(node, Value):
        return node.start, node.end
    sections = () if isinstance(node, Dotted) else node.sections
    start, end = len(index.source), 0
    if sections:
        start, end = index.starts[sections[0]], index.last(sections[-1])
    for statement in () if isinstance(node, Tables) else _find_dotted(node):
        start, end = min(start, statement.start), max(end, statement.end)
    return start, end


def _find_dotted(node: Table | Dotted) -> Iterator[Statement]:
    return node.statements if isinstance(node, Dotted) else node.dotted_statements


def _last_dotted(table: Table) -> int:
    """Return where the value of a table's last dotted key ends."""
    end = -1
    for statement in table.dotted_statements:
        end = statement.end
    return end


def append_key(
    index: TomlIndex, parent: Node, where: Sequence[Segment], names: tuple[str, ...], value: str
) -> list[Splice]:
    """A new `key = value` in the shape and place of its siblings."""
    key = ".".join(render_key(name) for name in names)
    if isinstance(parent, Value):
        return _append_inline(index, parent, f"{key} = {value}")
    if not isinstance(parent, Table):
        raise CannotApply("A dotted key inside an inline table gets no siblings")
    if parent.own is None and parent.home is None:
        return _new_section(index, parent, where, f"{key} = {value}")
    newline = newline_of(index.source)
    if parent.own is None:
        key = ".".join([*(render_key(name) for name in parent.prefix), key])
        anchor = _last_dotted(parent)
    else:
        anchor = index.last(parent.own)
    text = f"{key} = {value}".encode()
    if anchor < 0:
        return _first_of_root(index, text, newline)
    at = index.line_stop(anchor)
    return [Splice(at, at, newline + _indent(index.source, anchor) + text)]


def add_after(index: TomlIndex, parent: Node, after: str, key: str, value: str) -> list[Splice]:
    """A new `key = value` behind the statement of *after*; none if it has no value of its own."""
    text = f"{render_key(key)} = {value}"
    if isinstance(parent, Value):
        found = [s for s in parent.find((after,)) if s.names == (after,)]
        return [Splice(s.end, s.end, f", {text}".encode()) for s in found]
    if not isinstance(parent, Table):
        return []
    names = (*parent.prefix, after)
    found = [s for s in parent.find(after) if s.names == names]
    text = "".join(f"{render_key(name)}." for name in parent.prefix) + text
    splices = []
    for statement in found:
        at = index.line_stop(statement.end)
        line = newline_of(index.source) + _indent(index.source, statement.start) + text.encode()
        splices.append(Splice(at, at, line))
    return splices


def rename_key(index: TomlIndex, parent: Node, old: str, new: str) -> list[Splice]:
    """Another name for a key wherever the file names it: in statements and in table headers."""
    name, places = render_key(new).encode(), []
    if isinstance(parent, Tables):
        return []
    if isinstance(parent, Table):
        child, depth = parent.child(old), len(parent.prefix)
        statements = parent.find(old)
        sections = child.sections if isinstance(child, Table | Tables) else ()
        headers = (header_parts(index.source, index.starts[section]) for section in sections)
        places += [parts[len(parent.path)] for parts in headers]
    elif isinstance(parent, Dotted):
        statements, depth = parent.table.find((*parent.prefix, old)), len(parent.prefix)
    else:
        statements, depth = parent.find((old,)), 0
    places += [key_parts(index.source, s.start, s.key_end)[depth] for s in statements]
    return [Splice(start, end, name) for start, end in sorted(places)]


def _indent(source: bytes, anchor: int) -> bytes:
    start = source.rfind(b"\n", 0, anchor) + 1
    line = source[start:anchor]
    return line[: len(line) - len(line.lstrip(b" \t"))]


def _first_of_root(index: TomlIndex, text: bytes, newline: bytes) -> list[Splice]:
    """Return the first key of the top level: before the first table, or after leading comments."""
    source = index.source
    if index.starts:
        at = _head(source, index.starts[0], index.bom)
        return [Splice(at, at, text + newline + newline)]
    at = len(source)
    if at == index.bom or source.endswith(b"\n"):
        return [Splice(at, at, text + newline)]
    return [Splice(at, at, newline + text)]


def _new_section(
    index: TomlIndex, parent: Table, where: Sequence[Segment], text: str
) -> list[Splice]:
    """A header of its own for a table that so far exists only through its sub-tables."""
    names = [s for s in where if isinstance(s, str)]
    if len(names) != len(where):
        raise CannotApply("A table inside an array of tables is not created this way")
    newline = newline_of(index.source)
    header = f"[{'.'.join(render_key(name) for name in names)}]".encode()
    at = _head(index.source, index.starts[parent.sections[0]], index.bom)
    return [Splice(at, at, header + newline + text.encode() + newline + newline)]


def _append_inline(index: TomlIndex, table: Value, text: str) -> list[Splice]:
    source = index.source
    if not len(table.statements):
        inner = b" " + text.encode() + b" " if source[table.start + 1 : table.end - 1] else b""
        if inner:
            return [Splice(table.start + 1, table.end - 1, inner)]
        return [Splice(table.start + 1, table.start + 1, text.encode())]
    last = table.statements[-1].end
    return [Splice(last, last, b", " + text.encode())]


def insert_item(index: TomlIndex, array: Value, position: int, value: str) -> list[Splice]:
    """A list item in front of another, or after the last."""
    source, data = index.source, value.encode()
    if not len(array.items):
        return [Splice(array.start + 1, array.start + 1, data)]
    if position < len(array.items):
        start = array.items[position][0]
        return [Splice(start, start, data + b"," + _gap(source, array))]
    last = array.items[-1][1]
    comma = comma_after(source, last, array.end)
    gap = _gap(source, array)
    if comma < 0:
        return [Splice(last, last, b"," + gap + data)]
    return [Splice(comma + 1, comma + 1, gap + data + b",")]


def _gap(source: bytes, array: Value) -> bytes:
    first = array.items[0][0]
    lead = source[array.start + 1 : first]
    if b"\n" in lead:
        line = source.rfind(b"\n", 0, first) + 1
        return newline_of(source) + source[line:first]
    if len(array.items) > 1:
        between = source[array.items[-2][1] : array.items[-1][0]]
        if between.startswith(b",") and not between[1:].strip(b" \t"):
            return between[1:]
    return b" "


def insert_table(index: TomlIndex, tables: Tables, position: int, value: str) -> list[Splice]:
    """A new `[[table]]` section from an inline table."""
    fragment = value_of(value)
    if fragment.kind != "inline":
        raise CannotApply(
            "An array of tables takes a table", hint="give it as an inline table: { key = value }"
        )
    newline = newline_of(index.source)
    pairs = [fragment.index.source[s.start : s.end] for s in fragment.statements]
    header = b"[[" + b".".join(render_key(n).encode() for n in tables.path) + b"]]"
    text = newline.join([header, *pairs])
    if position < tables.length:
        at = _head(index.source, index.starts[tables.headers[position]], index.bom)
        return [Splice(at, at, text + newline + newline)]
    at = index.line_stop(range_of(index, tables)[1])
    return [Splice(at, at, newline + newline + text)]


def value_of(text: str) -> Value:
    """Return the value that *text* is, located in a document of its own."""
    index = TomlIndex(f"x = {text}\n".encode())
    statements = list(index.statements(-1))
    if len(statements) != 1 or index.starts or statements[0].names != ("x",):
        raise CannotApply("Value is not exactly one TOML value")
    return index.value(statements[0].value, statements[0].end)


def remove(index: TomlIndex, parent: Node, last: Segment) -> list[Splice]:
    """Splices that take one key, item or table out."""
    if isinstance(last, int):
        if isinstance(parent, Tables):
            return _remove_sections(index, parent.item(last))
        if isinstance(parent, Value):
            return [_remove_listed(index, parent, parent.items, last)]
    if isinstance(parent, Table):
        return _remove_key(index, parent, str(last))
    if isinstance(parent, Value):
        for position, statement in enumerate(parent.statements):
            if statement.names == (last,):
                return [_remove_listed(index, parent, parent.statements, position)]
    raise CannotApply("A dotted key inside an inline table is not deleted this way")


def _remove_key(index: TomlIndex, parent: Table, name: str) -> list[Splice]:
    child = parent.child(name)
    if isinstance(child, Value):
        return _to_splices([_statement(index, s) for s in parent.find(name)])
    return _remove_sections(index, child)


def _remove_sections(index: TomlIndex, node: Node | None) -> list[Splice]:
    """Return the line ranges that define a table, everything beneath it included."""
    if not isinstance(node, Table | Tables):
        raise CannotApply("Only a table has sections")
    pieces = _merge(_section(index, section) for section in node.sections)
    if isinstance(node, Table):
        pieces += _merge(_statement(index, statement) for statement in node.dotted_statements)
    return _to_splices(sorted(pieces))


def _remove_listed(
    index: TomlIndex,
    parent: Value,
    entries: Entries[Span] | Entries[Statement],
    position: int,
) -> Splice:
    source = index.source
    start, end = _span(entries[position])
    if len(entries) == 1:
        return Splice(parent.start + 1, parent.end - 1, b"")
    if position + 1 < len(entries):
        following = _span(entries[position + 1])[0]
        own_line = not source[source.rfind(b"\n", 0, start) + 1 : start].strip()
        if own_line and b"\n" in source[end:following]:
            line = source.rfind(b"\n", 0, start) + 1
            stop = source.find(b"\n", end) + 1
            return Splice(line, stop, b"")
        return Splice(start, following, b"")
    previous = _span(entries[position - 1])[1]
    comma = comma_after(source, end, parent.end)
    if b"#" in source[previous:start]:
        line = source.rfind(b"\n", 0, start)
        line -= 1 if source[line - 1 : line] == b"\r" else 0
        return Splice(line, end if comma < 0 else comma + 1, b"")
    if comma < 0:
        return Splice(previous, end, b"")
    kept = comma_after(source, previous, parent.end)
    return Splice(previous if kept < 0 else kept + 1, comma + 1, b"")


def _span(entry: Span | Statement) -> Span:
    return (entry.start, entry.end) if isinstance(entry, Statement) else entry


def _section(index: TomlIndex, section: int) -> tuple[int, int]:
    start, end = index.starts[section], index.stop(section)
    begin = _head(index.source, start, index.bom)
    stop = _head(index.source, end, index.bom) if end < len(index.source) else end
    return begin, max(stop, start)


def _statement(index: TomlIndex, statement: Statement) -> tuple[int, int]:
    source = index.source
    stop = source.find(b"\n", index.line_stop(statement.end)) + 1 or len(source)
    start = max(source.rfind(b"\n", 0, statement.start) + 1, index.bom)
    if not (_ENTRY.match(source, stop) and b"\n" not in source[start : stop - 1]):
        # Right above several entries of one line each, a comment heads them all, and stays.
        start = _head(source, statement.start, index.bom)
    if stop == len(source) and not source.endswith(b"\n") and start > index.bom:
        start -= 2 if source[start - 2 : start] == b"\r\n" else 1
    return start, stop


def _to_splices(pieces: Iterable[tuple[int, int]]) -> list[Splice]:
    return [Splice(start, end, b"") for start, end in _merge(pieces)]


def _merge(pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces in order, those that touch each other as one."""
    found: list[tuple[int, int]] = []
    for start, end in pieces:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _head(source: bytes, start: int, bom: int) -> int:
    """Return the start of the line of *start*, or of the comment lines directly above it."""
    begin = max(source.rfind(b"\n", 0, start) + 1, bom)
    indent = source[begin:start]
    while begin > bom:
        above = max(source.rfind(b"\n", 0, begin - 1) + 1, bom)
        line = source[above:begin]
        if not (line.startswith(indent) and line[len(indent) :].startswith(b"#")):
            break
        begin = above
    return begin
