"""A skimmer over YAML bytes: finds the bytes of the node at a path without parsing the rest.

A block collection's entries are the lines that start at exactly its column; everything deeper is
skipped by one regular expression. What it finds is never trusted alone: `verify` compares it
with an independent parser before any change leaves this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from redline.core.errors import CannotApply
from redline.documents.base.possessive import compile_pattern
from redline.documents.yaml.skim.children import Child, EntryScanner, entry_line, flow_child
from redline.documents.yaml.skim.flow import Node, Portion
from redline.documents.yaml.skim.stream import Stream, StreamPart

_SEARCHABLE = re.compile(r"[A-Za-z0-9_./@$<-][A-Za-z0-9_./@$<>-]*")
_ODD_KEY = re.compile(rb"(?:\"[^\"\n]*\\|'[^'\n]*''|[?&!*\[{:])")
# From an escape to the end of its string, and what makes that a key.
_ESCAPE = compile_pattern(
    rb"\\.[^\"\\]*+(?:\\.[^\"\\]*+)*+\"((?:[ \t\r\n]++|#[^\r\n]*+)*+:)?+", re.DOTALL
)
_WORD = re.compile(r"[^\s'\"\\]+")
_LARGE = 4096


@lru_cache(maxsize=64)
def _odd_line(column: int) -> re.Pattern[bytes]:
    """Match a line whose key at *column* is written in a way that can mean another text."""
    return re.compile(b"\n" + b" " * column + _ODD_KEY.pattern)


@dataclass(slots=True)
class Scanner(EntryScanner):
    """Lookups over one stream of documents."""

    @property
    def stream(self) -> Stream:
        """The documents."""
        return Stream(self.source, self.bom)

    def root(self, part: StreamPart) -> Node:
        """The root node of one document."""
        return self.value_node(part.slot, part.end, -1, "root")

    def find_named(self, node: Node, key: str) -> list[Child]:
        """The entries named *key* of a mapping."""
        if node.children is None and node.pair is None and node.kind == "mapping":
            quick = self._search_named(node, key) if node.style == "block" else None
            return list(self._scan_named(node, key)) if quick is None else quick
        return [child for child in self.entries(node) if child.key == key]

    def _scan_named(self, node: Node, key: str) -> Iterator[Child]:
        """As `find_named`; text without all words of the key and without an escape is skipped."""
        words = [word.encode("utf-8", "surrogateescape") for word in set(_WORD.findall(key))]
        is_flow = node.style == "flow"
        for start, end, count in self.flow_parts(node) if is_flow else self.windows(node):
            if not self._may_hold(node, words, start, end):
                continue
            for at, stop in self._one_by_one(start, end) if count > 1 else ((start, end),):
                if count <= 1 or self._may_hold(node, words, at, stop):
                    yield from (child for child in self.within(node, at, stop) if child.key == key)

    def _one_by_one(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the entries of a flow collection in [at, end), each with what ends it."""
        while at < end:
            stop = self.entry_end(at, end) + 1
            yield at, stop
            at = self.space(stop, end)

    def _may_hold(self, node: Node, words: list[bytes], start: int, end: int) -> bool:
        """Whether all *words* occur there, or a key in which they may be escaped."""
        if all(self.source.find(word, start, end) >= 0 for word in words):
            return True
        if self.source.find(b"\\", start, end) < 0:
            return False
        if node.style == "flow":
            return any(found[1] for found in _ESCAPE.finditer(self.source, start, end))
        if start == node.start:
            return True
        return _odd_line(node.column).search(self.source, start, end) is not None

    def _search_named(self, node: Node, key: str) -> list[Child] | None:
        """What `find_named` finds in a large block mapping, or None when only a walk can find it.

        Searching for the key as plain or quoted text takes one pass at C speed. It is sure only
        when that is found once at most and no key of this mapping is written in a way that could
        mean the same (escapes, tags, `? `).
        """
        if node.limit - node.start < _LARGE or not _SEARCHABLE.fullmatch(key):
            return None
        if _ODD_KEY.match(self.source, node.start) or self._has_odd_line(node):
            return None
        found = list(islice(self._key_offsets(node, key.encode("utf-8")), 2))
        return [self.entry_at(node, at) for at in found] if len(found) <= 1 else None

    def _key_offsets(self, node: Node, name: bytes) -> Iterator[int]:
        """Yield where lines of a block mapping begin with the key *name*, plain or quoted."""
        source, line, end = self.source, b"\n" + b" " * node.column, node.limit
        for quote in (b"", b'"', b"'"):
            token = quote + name + quote
            pattern = re.escape(token) + rb"[ \t]*:(?=[ \t\r\n]|\Z)"
            if re.compile(pattern).match(source, node.start, end):
                yield node.start
            if (at := source.find(token, node.start, end)) >= 0:
                lines = re.compile(line + pattern).finditer(source, max(at - len(line), 0), end)
                yield from (found.start() + len(line) for found in lines)

    def _has_odd_line(self, node: Node) -> bool:
        """Whether a line may begin with a key that is written in a way that can mean another."""
        return _odd_line(node.column).search(self.source, node.start, node.limit) is not None

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
            return next((flow_child(p) for n, p in enumerate(pairs) if n == position), None)
        for number, (at, limit) in enumerate(self.lines(node, start, end)):
            if number == position:
                return self.block_item(at, limit)
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
        pattern, first = entry_line(node.column, node.kind), 1
        for start, end, _ in self.windows(node):
            yield start, end, len(pattern.findall(self.source, start, end)) + first
            first = 0

    def beside(self, node: Node, value: Node) -> tuple[Child | None, Child, Child | None]:
        """The entry with *value*, between the one before and the one after it."""
        before: Child | None = None
        found: Child | None = None
        for child in self.near(node, value.slot):
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
