"""A skimmer over YAML bytes: finds the bytes of the node at a path without parsing the rest.

A block collection's entries are the lines that start at exactly its column; everything deeper is
skipped by one regular expression. What it finds is never trusted alone: yaml_verify compares it
with an independent parser before any change leaves this package.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from redline.core.errors import CannotApply
from redline.documents.yaml_block import DASH, QUESTION, BlockScanner
from redline.documents.yaml_columns import SLACK, Columns, line_at
from redline.documents.yaml_flow import Node, Pair, Portion, decode_key
from redline.documents.yaml_stream import Part, Stream

_VALUE = re.compile(rb":(?=[ \t\r\n]|\Z)")
_SEARCHABLE = re.compile(r"[A-Za-z0-9_./@$<-][A-Za-z0-9_./@$<>-]*")
_ODD_KEY = re.compile(rb"(?:\"[^\"\n]*\\|'[^'\n]*''|[?&!*\[{:])")
# What a key may begin with that is not its text: all told by one byte.
_MARKS = bytes.maketrans(b"&!*[{:", b"??????")
_WORD = re.compile(r"[^\s'\"\\]+")
_LARGE = 4096
# So much text is looked at in one go when only the number of entries matters; small ones less.
_WINDOW = 1 << 14
_SMALL_WINDOW = 1 << 9
_MOST_WINDOWS = 64


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
    value_start: int = -1


@lru_cache(maxsize=64)
def _entry_line(column: int, kind: str) -> re.Pattern[bytes]:
    """The start of a line that is an entry of a block collection at *column*."""
    # A list may stand at the column of the key it belongs to.
    other = rb"(?!-(?:[ \t\r\n]|\Z))" if kind == "mapping" else b""
    return re.compile(line_at(column) + rb"(?=[^ \t\r\n#\]}])" + other)


@lru_cache(maxsize=64)
def _odd_line(column: int) -> re.Pattern[bytes]:
    """A line whose key at *column* is spelled in a way that can mean another text."""
    return re.compile(line_at(column) + _ODD_KEY.pattern)


@dataclass(slots=True)
class Scanner(BlockScanner):
    """Lookups over one stream of documents."""

    # Made for streams that nest deeply, where every level would be searched anew.
    columns: Columns | None = None

    @property
    def stream(self) -> Stream:
        """The documents."""
        return Stream(self.source, self.bom)

    def root(self, part: Part) -> Node:
        """The root node of one document."""
        return self.value_node(part.slot, part.end, -1, "root")

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

    def named(self, node: Node, key: str) -> list[Child]:
        """The entries named *key* of a mapping."""
        if node.children is None and node.pair is None and node.kind == "mapping":
            quick = self._searched(node, key) if node.style == "block" else None
            return list(self._spelled(node, key)) if quick is None else quick
        return [child for child in self.entries(node) if child.key == key]

    def _spelled(self, node: Node, key: str) -> Iterator[Child]:
        """As `named`; where neither all words of the key nor an escape stand, it is not."""
        words = [word.encode("utf-8", "surrogateescape") for word in set(_WORD.findall(key))]
        windows = self.flow_parts(node) if node.style == "flow" else self._windows(node)
        for start, end, _ in windows:
            may_hold = all(self.source.find(word, start, end) >= 0 for word in words)
            if may_hold or self._has_escaped_key(node, start, end):
                yield from (child for child in self._within(node, start, end) if child.key == key)

    def _has_escaped_key(self, node: Node, start: int, end: int) -> bool:
        if self.source.find(b"\\", start, end) < 0:
            return False
        if node.style == "flow" or start == node.start:
            return True
        return _odd_line(node.column).search(self.source, start, end) is not None

    def _searched(self, node: Node, key: str) -> list[Child] | None:
        """What `named` finds in a large block mapping, or None when a walk must tell.

        Searching for the key's plain or quoted spelling takes one pass at C speed. It is sure only
        when the spelling is found once at most and no key of this mapping is spelled in a way that
        could mean the same (escapes, tags, `? `).
        """
        if node.limit - node.start < _LARGE or not _SEARCHABLE.fullmatch(key):
            return None
        if _ODD_KEY.match(self.source, node.start) or self._has_odd_line(node):
            return None
        found = list(islice(self._spellings(node, key.encode("utf-8")), 2))
        return [self.entry_at(node, at) for at in found] if len(found) <= 1 else None

    def _spellings(self, node: Node, name: bytes) -> Iterator[int]:
        """Where lines of a block mapping begin with a key spelled as *name*, plain or quoted."""
        source, line = self.source, b"\n" + b" " * node.column
        for quote in (b"", b'"', b"'"):
            spelling = quote + name + quote
            spelled = re.escape(spelling) + rb"[ \t]*:(?=[ \t\r\n]|\Z)"
            if re.compile(spelled).match(source, node.start, node.limit):
                yield node.start
            for start, stop in self._stretches(node):
                end = min(stop + SLACK, node.limit)
                if (at := source.find(spelling, start, end)) >= 0:
                    lines = re.compile(line + spelled).finditer(source, max(at - len(line), 0), end)
                    yield from (m.start() + len(line) for m in lines if start <= m.start() < stop)

    def _has_odd_line(self, node: Node) -> bool:
        """Whether a line may begin with a key that is spelled in a way that can mean another."""
        source, mark = self.source, b"\n" + b" " * node.column + b"?"
        for start, stop in self._stretches(node):
            end = min(stop + SLACK, node.limit)
            if self.columns is not None:
                # There may be a great many lines: first a look that does not stop at each of them.
                for at in range(start, stop, _WINDOW):
                    if mark in source[at : min(at + _WINDOW + len(mark), end)].translate(_MARKS):
                        return True
                if source.find(b"\\", start, end) < 0 and source.find(b"''", start, end) < 0:
                    continue
            if _odd_line(node.column).search(source, start, end):
                return True
        return False

    def _stretches(self, node: Node) -> Iterator[tuple[int, int]]:
        """The parts of a block collection that lines at its column may begin in."""
        if self.columns is None:
            return iter([(node.start, node.limit)])
        return self.columns.stretches(node.column, node.start, node.limit)

    def _search(self, node: Node, pattern: re.Pattern[bytes], at: int) -> re.Match[bytes] | None:
        return self.search(pattern, node.column, at, node.limit)

    def search(
        self, pattern: re.Pattern[bytes], column: int, at: int, limit: int
    ) -> re.Match[bytes] | None:
        """What *pattern*, a line at *column*, finds first in [at, limit)."""
        if self.columns is not None:
            return self.columns.search(pattern, column, at, limit)
        return pattern.search(self.source, at, limit)

    def entry_at(self, node: Node, at: int) -> Child:
        """The entry of a block collection that starts at *at*."""
        following = self._search(node, _entry_line(node.column, node.kind), at)
        limit = following.start() + 1 if following else node.limit
        return self._block_item(at, limit) if node.kind == "sequence" else self._implicit(at, limit)

    def find_item(self, node: Node, index: int) -> tuple[Child | None, int]:
        """The item at *index* (may be negative) of a list, and its index from the start.

        Without such an item, the second is how many there are.
        """
        length = self.count(node) if index < 0 else 0
        position = index + length if index < 0 else index
        found = self._item(node, position) if position >= 0 else None
        return found, position if found else length or self.count(node)

    def _item(self, node: Node, position: int) -> Child | None:
        if node.children is not None:
            known: list[Child] = node.children
            return known[position] if position < len(known) else None
        for start, end, count in self._portions(node):
            if position < count:
                return self._nth(node, start, end, position)
            position -= count
        return None

    def _nth(self, node: Node, start: int, end: int, position: int) -> Child | None:
        if node.style == "flow":
            pairs = self.flow_pairs(node, start, end)
            return next((_flow_child(p) for n, p in enumerate(pairs) if n == position), None)
        for number, (at, limit) in enumerate(self._lines(node, start, end)):
            if number == position:
                return self._block_item(at, limit)
        return None

    def count(self, node: Node) -> int:
        """How many entries a list has."""
        if node.children is not None:
            return len(node.children)
        return sum(count for _, _, count in self._portions(node))

    def _portions(self, node: Node) -> Iterator[Portion]:
        """A list in order as `start, end, how many entries`."""
        if node.pair is not None:
            raise CannotApply("A pair in a list has no items")
        if node.style == "flow":
            yield from self.flow_parts(node)
            return
        pattern, first = _entry_line(node.column, node.kind), 1
        for start, end, _ in self._windows(node):
            yield start, end, len(pattern.findall(self.source, start, end)) + first
            first = 0

    def _windows(self, node: Node) -> Iterator[Portion]:
        """The lines of a block collection in order, entries never torn; nothing is counted."""
        pattern, start = _entry_line(node.column, node.kind), node.start
        size = min(max(_SMALL_WINDOW, (node.limit - start) // _MOST_WINDOWS), _WINDOW)
        while start < node.limit:
            found = pattern.search(self.source, min(start + size, node.limit), node.limit)
            while found and self.source[found.end()] == 0x3A:
                found = pattern.search(self.source, found.end(), node.limit)
            end = found.start() if found else node.limit
            yield start, end, 0
            start = end

    def _within(self, node: Node, start: int, end: int) -> Iterator[Child]:
        """The entries of one portion of a collection."""
        if node.style == "flow":
            yield from map(_flow_child, self.flow_pairs(node, start, end))
        elif node.kind == "sequence":
            for at, limit in self._lines(node, start, end):
                yield self._block_item(at, limit)
        else:
            yield from self._members(node, start, end)

    def beside(self, node: Node, value: Node) -> tuple[Child | None, Child, Child | None]:
        """The entry with *value*, between the one before and the one behind it."""
        before: Child | None = None
        found: Child | None = None
        for child in self._near(node, value.slot):
            if found is not None:
                return before, found, child
            if self._holds(node, child, value):
                found = child
            else:
                before = child
        if found is None:
            raise CannotApply("The entry is not found again")
        return before, found, None

    def _holds(self, node: Node, child: Child, value: Node) -> bool:
        if not child.start <= value.slot <= child.limit:
            return False
        mine = self.value_of(node, child)
        return (mine.slot, mine.start) == (value.slot, value.start)

    def _near(self, node: Node, at: int) -> Iterator[Child]:
        """The entries of the portion that *at* stands in, of the one before and those behind."""
        if node.children is not None or node.pair is not None:
            yield from self.entries(node)
            return
        is_flow = node.style == "flow"
        last: Portion | None = None
        is_near = False
        for start, end, count in self.flow_parts(node) if is_flow else self._windows(node):
            if not is_near and (at >= end if is_flow else at > end):
                last = start, end, count
                continue
            if last is not None:
                yield from self._within(node, last[0], last[1])
                last = None
            is_near = True
            yield from self._within(node, start, end)

    def last_entries(self, node: Node) -> list[Child]:
        """The last two entries of a flow collection, or what there is."""
        if node.children is not None or node.pair is not None:
            return self.children(node)[-2:]
        last = deque(self.flow_parts(node), maxlen=2)
        return [child for start, end, _ in last for child in self._within(node, start, end)][-2:]

    def _lines(self, node: Node, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the entries begin whose lines start in [start, end), and where each ends."""
        at = node.start if start == node.start else -1
        for match in _entry_line(node.column, node.kind).finditer(self.source, start, node.limit):
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
                return self._block_item(at, node.limit)
            if self.source[at] not in b"?:":
                return self._implicit(at, node.limit)
            *_, last = self._near(node, node.limit)
            return last
        known: list[Child] = node.children
        return known[-1]

    def _last_line(self, node: Node) -> int:
        pattern, size, start = _entry_line(node.column, node.kind), _LARGE, node.limit
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
            yield from map(_flow_child, self.flow_pairs(node, start, self.end_of(node)))
        else:
            yield from self._within(node, node.start, node.limit)

    def _block_item(self, start: int, limit: int) -> Child:
        if not DASH.match(self.source, start):
            raise CannotApply(f"Line {self.line_of(start)} is not an item of its list")
        return Child(None, start, start, start, start + 1, limit, "seq")

    def _members(self, node: Node, begin: int, end: int) -> Iterator[Child]:
        source, pending = self.source, None
        for start, limit in self._lines(node, begin, end):
            if pending is not None:
                explicit, pending = pending, None
                if _VALUE.match(source, start):
                    explicit.value_start, explicit.slot, explicit.limit = start, start + 1, limit
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
        child.value_start = -2
        child.key_text = text
        return child

    def line_of(self, at: int) -> int:
        """The number of the line of *at*, from 1."""
        return self.source.count(b"\n", 0, at) + 1


def _flow_child(pair: Pair) -> Child:
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
