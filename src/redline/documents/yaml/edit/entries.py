"""Where entries of YAML collections are added and removed."""

from __future__ import annotations

import re
from itertools import pairwise

from redline.core.splice import Splice
from redline.documents.yaml.edit.fragment import Fragment, render_key
from redline.documents.yaml.edit.placement import Placer, line_stop
from redline.documents.yaml.skim.nodes import Child, Node
from redline.documents.yaml.skim.stream import StreamPart

_COMMA = re.compile(rb"(?:[ \t\r\n]+|(?<![^ \t\r\n])#[^\r\n]*)*,")
_BLANK_LINES = re.compile(rb"\r?\n(?:[ \t]*\r?\n)*")


def append(
    placer: Placer, node: Node, key: str | None, value: Fragment, after: Child | None = None
) -> list[Splice]:
    """Put an entry behind the last one, or behind *after*, at the column of its siblings."""
    if node.style == "flow":
        if after is not None:
            text = _flow_text(key, value)
            return [Splice(after.limit, after.limit, b", " + text)]
        return _append_flow(placer, node, key, value)
    prefix = b"-" if key is None else render_key(key).encode("utf-8") + b":"
    entry = placer.entry(prefix, value, node.column)
    pad = b" " * node.column
    last = after or placer.scanner.last_child(node)
    at = line_stop(placer.source, _end_of(placer, node, last))
    if at < len(placer.source) and _ends_with_kept_breaks(placer, node, last):
        # The blank lines below belong to the scalar: the entry goes after the last of them.
        match = _BLANK_LINES.match(placer.source, at)
        at = match.end() if match else at
        return [Splice(at, at, pad + entry + placer.style.newline)]
    return [Splice(at, at, placer.style.newline + pad + entry)]


def _end_of(placer: Placer, node: Node, child: Child) -> int:
    """Return where the last content byte of an entry is."""
    value = placer.scanner.value_of(node, child)
    end = placer.scanner.end_of(value) if value.kind != "empty" else child.slot
    return max(end, child.slot, value.props_end)


def _ends_with_kept_breaks(placer: Placer, node: Node, child: Child) -> bool:
    node = placer.scanner.value_of(node, child)
    while node.style == "block":
        node = placer.scanner.value_of(node, placer.scanner.last_child(node))
    return b"+" in node.marks


def create_first(placer: Placer, part: StreamPart, key: str, value: Fragment) -> list[Splice]:
    """Return the first entry of a document that holds nothing but comments."""
    source, newline = placer.source, placer.style.newline
    entry = placer.entry(render_key(key).encode("utf-8") + b":", value, 0)
    at = part.end
    before = source[part.start : at]
    if before.endswith(b"\n") or at == placer.scanner.bom:
        return [Splice(at, at, entry + newline)]
    return [Splice(at, at, newline + entry)]


def insert_item(placer: Placer, node: Node, before: Child, value: Fragment) -> list[Splice]:
    """Put a list item in front of *before*."""
    if node.style == "flow":
        text = value.flow or b"null"
        return [Splice(before.start, before.start, text + b", ")]
    entry = placer.entry(b"-", value, node.column)
    pad = b" " * node.column
    if _is_first_on_line(placer, before.start):
        at = _head(placer, node, before.start)
        return [Splice(at, at, pad + entry + placer.style.newline)]
    return [Splice(before.start, before.start, entry + placer.style.newline + pad)]


def remove(
    placer: Placer, node: Node, before: Child | None, child: Child, behind: Child | None
) -> list[Splice]:
    """Take an entry out with its same-line comment, and the comment above that it alone has."""
    if before is None and behind is None:
        tag = node.tag.decode("utf-8") + " " if node.tag is not None else ""
        return placer.replace(node, Fragment(tag + ("{}" if node.kind == "mapping" else "[]")))
    if node.style == "flow" and behind is not None:
        return [Splice(child.start, behind.start, b"")]
    if node.style == "flow" and before is not None:
        return [Splice(before.limit, child.limit, b"")]
    return [_remove_block(placer, node, child, behind)]


def _remove_block(placer: Placer, node: Node, child: Child, behind: Child | None) -> Splice:
    source = placer.source
    end = line_stop(source, _end_of(placer, node, child))
    if behind is not None and not _is_first_on_line(placer, child.start):
        return Splice(child.start, behind.start, b"")
    following = end + (2 if source[end : end + 2] == b"\r\n" else 1)
    start = placer.scanner.line_start(child.start)
    if not _heads_run(placer, (start, end), behind, following):
        start = _head(placer, node, child.start)
    if end < len(source):
        return Splice(start, following, b"")
    start -= 2 if source[start - 2 : start] == b"\r\n" else 1
    return Splice(max(start, 0), end, b"")


def _heads_run(
    placer: Placer, lines: tuple[int, int], behind: Child | None, following: int
) -> bool:
    """Whether a comment above an entry heads several: one line, and the next entry right below."""
    is_one_line = b"\n" not in placer.source[slice(*lines)]
    return is_one_line and behind is not None and _line_of(placer, behind) == following


def _line_of(placer: Placer, entry: Child) -> int:
    return placer.scanner.line_start(entry.start)


def _append_flow(placer: Placer, node: Node, key: str | None, value: Fragment) -> list[Splice]:
    text = _flow_text(key, value)
    entries = placer.scanner.last_entries(node)
    if node.marks == b"pair":
        inner = placer.source[node.start : node.end]
        return [Splice(node.start, node.end, b"{" + inner + b", " + text + b"}")]
    if not entries:
        return [Splice(node.start + 1, node.start + 1, text)]
    last = entries[-1]
    gap = _flow_gap(placer, entries)
    comma = _COMMA.match(placer.source, last.limit, node.end)
    if comma:
        return [Splice(comma.end(), comma.end(), gap + text + b",")]
    return [Splice(last.limit, last.limit, b"," + gap + text)]


def _flow_text(key: str | None, value: Fragment) -> bytes:
    text = value.flow or b"null"
    return text if key is None else render_key(key).encode("utf-8") + b": " + text


def _flow_gap(placer: Placer, entries: list[Child]) -> bytes:
    source = placer.source
    if _is_first_on_line(placer, entries[-1].start):
        start = placer.scanner.line_start(entries[-1].start)
        return placer.style.newline + source[start : entries[-1].start]
    for left, right in pairwise(entries[-2:]):
        between = source[left.limit : right.start]
        if between.startswith(b",") and not between[1:].strip(b" "):
            return between[1:] or (b" " if right.key is not None else b"")
    return b" "


def _is_first_on_line(placer: Placer, at: int) -> bool:
    return not placer.source[placer.scanner.line_start(at) : at].strip(b" \t")


def _head(placer: Placer, node: Node, start: int) -> int:
    """Where the entry's lines begin: its own, or the comment lines right above at its column."""
    source = placer.source
    begin = placer.scanner.line_start(start)
    pad = b" " * node.column
    floor = placer.scanner.line_start(node.slot) if node.slot > placer.scanner.bom else -1
    while begin > placer.scanner.bom:
        above = placer.scanner.line_start(begin - 1)
        line = source[above:begin]
        if above <= floor or not (line.startswith(pad) and line[len(pad) :].startswith(b"#")):
            break
        begin = above
    return begin
