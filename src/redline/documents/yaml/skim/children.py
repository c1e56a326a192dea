"""The entries of a collection: where each starts and ends, its key and the room of its value."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from redline.core.errors import CannotApply
from redline.documents.yaml.skim.block import DASH, QUESTION, BlockScanner
from redline.documents.yaml.skim.flow import Node, Pair, Portion, decode_key

_BLANKS = (b" ", b"\t", b"\r", b"\n")
_VALUE = re.compile(rb":(?=[ \t\r\n]|\Z)")
# How much text is searched first for the last entry.
_TAIL = 4096
# How much text is read at once when only the number of entries matters; of small ones less.
_WINDOW = 1 << 14
_SMALL_WINDOW = 1 << 9
_MAX_WINDOWS = 64


@dataclass(slots=True)
class Child:
    """One entry of a collection: its key and the room its value has."""

    key: str | None
    start: int
    key_start: int
    key_end: int
    slot: int
    limit: int
    context: str
    value: Node | None = None
    is_complex: bool = False
    key_text: bytes = b""

    def key_source(self, source: bytes) -> bytes:
        """The key as the file writes it, with its tag and anchor."""
        text = source[self.start : self.key_end]
        return text[1:] if text[:1] == b"?" and text[1:2] in (b"", *_BLANKS) else text


@lru_cache(maxsize=64)
def entry_line(column: int, kind: str) -> re.Pattern[bytes]:
    """The start of a line that is an entry of a block collection at *column*."""
    # A list may be at the column of the key it belongs to.
    other = rb"(?!-(?:[ \t\r\n]|\Z))" if kind == "mapping" else b""
    return re.compile(b"\n" + b" " * column + rb"(?=[^ \t\r\n#\]}])" + other)


@dataclass(slots=True)
class EntryScanner(BlockScanner):
    """Reads the entries of collections."""

    def end_of(self, node: Node) -> int:
        """Where a node's last content byte is; collections are measured on demand."""
        if node.end < 0 and node.style == "flow":
            node.end = self.flow_end(node.start, node.limit)
        elif node.end < 0:
            last = self.last_child(node)
            value = self.value_of(node, last)
            node.end = self.end_of(value) if value.kind != "empty" else self._empty_end(last, value)
        return node.end

    def _empty_end(self, child: Child, value: Node) -> int:
        return max(child.slot, value.props_end if value.has_props else 0)

    def value_of(self, node: Node, child: Child) -> Node:
        """The value of one entry."""
        if child.value is None:
            child.value = self.value_node(child.slot, child.limit, node.column, child.context)
        return child.value

    def entry_at(self, node: Node, at: int) -> Child:
        """The entry of a block collection that starts at *at*."""
        following = entry_line(node.column, node.kind).search(self.source, at, node.limit)
        limit = following.start() + 1 if following else node.limit
        return self.block_item(at, limit) if node.kind == "sequence" else self._implicit(at, limit)

    def windows(self, node: Node) -> Iterator[Portion]:
        """The lines of a block collection in order, entries never torn; nothing is counted."""
        pattern, start = entry_line(node.column, node.kind), node.start
        size = min(max(_SMALL_WINDOW, (node.limit - start) // _MAX_WINDOWS), _WINDOW)
        while start < node.limit:
            found = pattern.search(self.source, min(start + size, node.limit), node.limit)
            while found and self.source[found.end()] == 0x3A:
                found = pattern.search(self.source, found.end(), node.limit)
            end = found.start() if found else node.limit
            yield start, end, 0
            start = end

    def within(self, node: Node, start: int, end: int) -> Iterator[Child]:
        """The entries of one portion of a collection."""
        if node.style == "flow":
            yield from map(flow_child, self.flow_pairs(node, start, end))
        elif node.kind == "sequence":
            for at, limit in self.lines(node, start, end):
                yield self.block_item(at, limit)
        else:
            yield from self._members(node, start, end)

    def near(self, node: Node, at: int) -> Iterator[Child]:
        """Yield the entries of the portion that *at* is in, of the one before and those after."""
        if node.children is not None or node.pair is not None:
            yield from self.entries(node)
            return
        is_flow = node.style == "flow"
        last: Portion | None = None
        is_near = False
        for start, end, count in self.flow_parts(node) if is_flow else self.windows(node):
            if not is_near and (at >= end if is_flow else at > end):
                last = start, end, count
                continue
            if last is not None:
                yield from self.within(node, last[0], last[1])
                last = None
            is_near = True
            yield from self.within(node, start, end)

    def last_entries(self, node: Node) -> list[Child]:
        """The last two entries of a flow collection, or what there is."""
        if node.children is not None or node.pair is not None:
            return self.children(node)[-2:]
        last = deque(self.flow_parts(node), maxlen=2)
        return [child for start, end, _ in last for child in self.within(node, start, end)][-2:]

    def lines(self, node: Node, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the entries begin whose lines start in [start, end), and where each ends."""
        at = node.start if start == node.start else -1
        for match in entry_line(node.column, node.kind).finditer(self.source, start, node.limit):
            if at >= 0:
                yield at, match.start() + 1
            if match.start() >= end:
                return
            at = match.end()
        if at >= 0:
            yield at, node.limit

    def last_child(self, node: Node) -> Child:
        """The last entry of a block collection."""
        if node.children is None:
            at = self._last_line(node)
            if node.kind == "sequence":
                return self.block_item(at, node.limit)
            if self.source[at] not in b"?:":
                return self._implicit(at, node.limit)
            *_, last = self.near(node, node.limit)
            return last
        known: list[Child] = node.children
        return known[-1]

    def _last_line(self, node: Node) -> int:
        pattern, size, start = entry_line(node.column, node.kind), _TAIL, node.limit
        while start > node.start:
            start = max(node.start, node.limit - size)
            ends = [match.end() for match in pattern.finditer(self.source, start, node.limit)]
            if ends:
                return ends[-1]
            size *= 4
        return node.start

    def children(self, node: Node) -> list[Child]:
        """Every entry of a collection, in order."""
        if node.children is None:
            node.children = list(self.entries(node))
        found: list[Child] = node.children
        return found

    def entries(self, node: Node) -> Iterator[Child]:
        """Every entry of a collection, in order, none of them kept."""
        if node.children is not None:
            yield from node.children
        elif node.style == "flow":
            start = node.start if node.pair else self.space(node.start + 1, self.end_of(node))
            yield from map(flow_child, self.flow_pairs(node, start, self.end_of(node)))
        else:
            yield from self.within(node, node.start, node.limit)

    def block_item(self, start: int, limit: int) -> Child:
        """Return the list item whose dash is at *start*."""
        if not DASH.match(self.source, start):
            raise CannotApply(f"Line {self.line_of(start)} is not an item of its list")
        return Child(None, start, start, start, start + 1, limit, "seq")

    def _members(self, node: Node, begin: int, end: int) -> Iterator[Child]:
        source, pending = self.source, None
        for start, limit in self.lines(node, begin, end):
            if pending is not None:
                explicit, pending = pending, None
                if _VALUE.match(source, start):
                    explicit.slot, explicit.limit = start + 1, limit
                    explicit.context, explicit.value = "explicit", None
                    yield explicit
                    continue
                yield explicit
            if QUESTION.match(source, start):
                pending = self._explicit(node, start, limit)
            else:
                yield self._implicit(start, limit)
        if pending is not None:
            yield pending

    def _implicit(self, start: int, limit: int) -> Child:
        key = self.key_at(start, limit)
        if key is None:
            raise CannotApply(f"Line {self.line_of(start)} is not an entry of its mapping")
        key_start, key_end, slot, is_complex = key
        text = self.source[key_start:key_end]
        is_complex = is_complex or text.startswith(b"*")
        name = None if is_complex else decode_key(text)
        child = Child(name, start, key_start, key_end, slot, limit, "map", is_complex=is_complex)
        child.key_text = text
        return child

    def _explicit(self, node: Node, start: int, limit: int) -> Child:
        key = self.value_node(start + 1, limit, node.column, "explicit")
        is_complex = key.kind not in ("scalar", "empty") or key.style in ("literal", "folded")
        end = self.end_of(key) if key.kind != "empty" else max(start + 1, key.props_end)
        text = self.source[key.start : end] if key.kind == "scalar" else b""
        name = None if is_complex else decode_key(text)
        child = Child(name, start, key.start, end, end, limit, "noval", is_complex=is_complex)
        child.value = Node("empty", "", end, end, end, end, node.column, "noval")
        child.key_text = text
        return child

    def line_of(self, at: int) -> int:
        """The number of the line of *at*, from 1."""
        return self.source.count(b"\n", 0, at) + 1


def flow_child(pair: Pair) -> Child:
    named = pair.key is not None and not pair.is_complex
    return Child(
        decode_key(pair.key_text) if named else None,
        pair.start,
        pair.key_start,
        pair.key_end,
        pair.value.slot,
        pair.end,
        "flow",
        pair.value,
        pair.is_complex,
        pair.key_text,
    )
