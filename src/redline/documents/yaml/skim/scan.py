"""A skimmer over YAML bytes: finds the bytes of the node at a path without parsing the rest.

A block collection's entries are the lines that start at exactly its column; everything deeper is
skipped by one regular expression. What it finds is never trusted alone: `verify` compares it
with an independent parser before any change leaves this package.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from redline.core.errors import CannotApply
from redline.core.records import dataclass
from redline.documents.base.possessive import compile_pattern
from redline.documents.yaml.skim.nodes import Child, Node, Pair, Portion, decode_key, flow_child
from redline.documents.yaml.skim.skip import BLOCK, PLAIN, Passing, quoted_end
from redline.documents.yaml.skim.stream import Stream, StreamPart

_SEARCHABLE = re.compile(r"[A-Za-z0-9_./@$<-][A-Za-z0-9_./@$<>-]*")
_ODD_KEY = re.compile(rb"(?:\"[^\"\n]*\\|'[^'\n]*''|[?&!*\[{:])")
# From an escape to the end of its string, and what makes that a key.
_ESCAPE = compile_pattern(
    rb"\\.[^\"\\]*+(?:\\.[^\"\\]*+)*+\"((?:[ \t\r\n]++|#[^\r\n]*+)*+:)?+", re.DOTALL
)
_WORD = re.compile(r"[^\s'\"\\]+")
_LARGE = 4096
# Entries of block collections.
_VALUE = re.compile(rb":(?=[ \t\r\n]|\Z)")
# How much text is searched first for the last entry.
_ENTRY_TAIL = 4096
# How much text is read at once when only the number of entries matters; of small ones less.
_WINDOW = 1 << 14
_SMALL_WINDOW = 1 << 9
_MAX_WINDOWS = 64
# Nodes of block collections.
_GAP = compile_pattern(rb"(?:[ \t]*+(?:#[^\r\n]*+)?+\r?\n)*+[ ]*+(?:#[^\r\n]*+\Z)?+")
_INLINE = re.compile(rb"[ \t]*")
_LINE_REST = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)")
_PLAIN = (
    rb"(?:[^ \t\r\n\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\r\n]))"
    rb"(?:[^ \t\r\n:#]++|:(?=[^ \t\r\n])|(?<![ \t\r\n])#|[ \t]++(?=[^ \t\r\n#:]|:[^ \t\r\n]))*+"
)
_KEY = compile_pattern(
    rb"(?P<props>(?:[&!][^ \t\r\n]*[ \t]+)*)"
    rb"(?P<key>\"[^\"\\\r\n]*+(?:\\[^\r\n][^\"\\\r\n]*+)*+\"|'[^'\r\n]*+(?:''[^'\r\n]*+)*+'"
    rb"|\*[^ \t\r\n,\[\]{}]+|" + _PLAIN + rb")[ \t]*:(?=[ \t\r\n]|\Z)"
)
_EMPTY_KEY = re.compile(rb"(?:[&!][^ \t\r\n]*[ \t]+)*:(?=[ \t\r\n]|\Z)")
_FLOW_KEY = re.compile(rb"(?:[&!][^ \t\r\n]*[ \t]+)*(?=[\[{])")
_COLON = re.compile(rb"[ \t]*:(?=[ \t\r\n]|\Z)")
_CLOSED = tuple(re.compile(mark + _COLON.pattern) for mark in (rb"\]", rb"\}"))
_DASH = re.compile(rb"-(?=[ \t\r\n]|\Z)")
_QUESTION = re.compile(rb"\?(?=[ \t\r\n]|\Z)")
_HEADER = re.compile(rb"[|>](?P<marks>[0-9+-]{0,2})(?P<comment>[ \t]+#[^\r\n]*|[ \t]*)(?=\r?\n|\Z)")
_UNCOMMENTED = compile_pattern(rb"(?:[^#]++|(?<![ \t\r\n])#)*+")
# How much is copied at first to find the last byte that is not blank.
_TEXT_TAIL = 256
_BREAK = re.compile(rb"\r?\n")
_BLANKS = compile_pattern(rb"(?: *+\r?\n)*+")
_SPACES = re.compile(rb" *+")
# An implicit key is on one line and has at most 1,024 characters.
_MAX_KEY = 4096
# Nodes of flow collections.
_PROPERTY = re.compile(rb"&[^ \t\r\n,\[\]{}]+|!<[^>\r\n]*>|![^ \t\r\n,\[\]{}]*")
_ALIAS = re.compile(rb"\*[^ \t\r\n,\[\]{}]+")
_FLOW_QUESTION = re.compile(rb"\?(?=[ \t\r\n,\[\]{}])")
_FLOW_COLON = re.compile(rb":(?=[ \t\r\n,\[\]{}])")
_LARGE_FLOW = 256


@lru_cache(maxsize=64)
def entry_line(column: int, kind: str) -> re.Pattern[bytes]:
    """Return the start of a line that is an entry of a block collection at *column*."""
    # A list may be at the column of the key it belongs to.
    other = rb"(?!-(?:[ \t\r\n]|\Z))" if kind == "mapping" else b""
    return re.compile(b"\n" + b" " * column + rb"(?=[^ \t\r\n#\]}])" + other)


@lru_cache(maxsize=64)
def _odd_line(column: int) -> re.Pattern[bytes]:
    """Match a line whose key at *column* is written in a way that can mean another text."""
    return re.compile(b"\n" + b" " * column + _ODD_KEY.pattern)


@dataclass(slots=True)
class Scanner(Passing):
    """Finds nodes of one stream of documents, one level at a time."""

    bom: int = 0

    @property
    def stream(self) -> Stream:
        """The documents."""
        return Stream(self.source, self.bom)

    def root(self, part: StreamPart) -> Node:
        """Return the root node of one document."""
        return self.value_node(part.slot, part.end, -1, "root")

    def find_named(self, node: Node, key: str) -> list[Child]:
        """Return the entries named *key* of a mapping."""
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
        """Return whether all *words* occur there, or a key in which they may be escaped."""
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
        """Return the item at *index* (may be negative) of a list, and its index from the start.

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
        """Return how many entries a list has."""
        if node.children is not None:
            return len(node.children)
        return sum(count for _, _, count in self._portions(node))

    def _portions(self, node: Node) -> Iterator[Portion]:
        """Yield a list in order as `start, end, how many entries`."""
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
        """Return the entry with *value*, between the one before and the one after it."""
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

    # --- the entries of a collection ----------------------------------------------------------

    def end_of(self, node: Node) -> int:
        """Return where a node's last content byte is; collections are measured on demand."""
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
        """Return the value of one entry."""
        if child.value is None:
            child.value = self.value_node(child.slot, child.limit, node.column, child.context)
        return child.value

    def entry_at(self, node: Node, at: int) -> Child:
        """Return the entry of a block collection that starts at *at*."""
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
        """Yield the entries of one portion of a collection."""
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
        """Return the last two entries of a flow collection, or what there is."""
        if node.children is not None or node.pair is not None:
            return self.children(node)[-2:]
        last = deque(self.flow_parts(node), maxlen=2)
        return [child for start, end, _ in last for child in self.within(node, start, end)][-2:]

    def lines(self, node: Node, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where the entries begin whose lines start in [start, end), and where each ends."""
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
        """Return the last entry of a block collection."""
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
        pattern, size, start = entry_line(node.column, node.kind), _ENTRY_TAIL, node.limit
        while start > node.start:
            start = max(node.start, node.limit - size)
            ends = [match.end() for match in pattern.finditer(self.source, start, node.limit)]
            if ends:
                return ends[-1]
            size *= 4
        return node.start

    def children(self, node: Node) -> list[Child]:
        """Return every entry of a collection, in order."""
        if node.children is None:
            node.children = list(self.entries(node))
        found: list[Child] = node.children
        return found

    def entries(self, node: Node) -> Iterator[Child]:
        """Yield every entry of a collection, in order, none of them kept."""
        if node.children is not None:
            yield from node.children
        elif node.style == "flow":
            start = node.start if node.pair else self.space(node.start + 1, self.end_of(node))
            yield from map(flow_child, self.flow_pairs(node, start, self.end_of(node)))
        else:
            yield from self.within(node, node.start, node.limit)

    def block_item(self, start: int, limit: int) -> Child:
        """Return the list item whose dash is at *start*."""
        if not _DASH.match(self.source, start):
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
            if _QUESTION.match(source, start):
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
        """Return the number of the line of *at*, from 1."""
        return self.source.count(b"\n", 0, at) + 1

    # --- nodes of block collections -----------------------------------------------------------

    def line_start(self, at: int) -> int:
        """Return the offset at which the line of *at* begins, after a byte order mark."""
        return max(self.source.rfind(b"\n", 0, at) + 1, self.bom)

    def column(self, at: int) -> int:
        """Return how many bytes are before *at* on its line."""
        return at - self.line_start(at)

    def value_node(self, slot: int, limit: int, indent: int, context: str) -> Node:
        """Return the node after an indicator; `empty` when there is none."""
        node = Node("empty", "", slot, slot, slot, slot, indent, context, limit=limit)
        at = self._after(_INLINE, slot, limit)
        at_root = context == "root" and not self.source[self.line_start(at) : at].strip(b" ")
        block_allowed = at_root or context in ("seq", "explicit")
        while True:
            if _LINE_REST.match(self.source, at, limit) or at >= limit:
                at = self._next_line(at, limit)
                if at >= limit or not self._belongs(at, indent, context):
                    return node
                block_allowed = True
            if block_allowed:
                style = self._block_kind(at, limit)
                if style:
                    return self._block(node, style, at, limit)
            prop = _PROPERTY.match(self.source, at, limit)
            if prop is None:
                break
            self._take_property(node, prop)
            block_allowed = False
            at = self._after(_INLINE, prop.end(), limit)
        return self._content(node, at, limit)

    def _next_line(self, at: int, limit: int) -> int:
        at = self._after(_GAP, at, limit)
        return self._after(_INLINE, at, limit) if self.source[at : at + 1] == b"\t" else at

    def _belongs(self, at: int, indent: int, context: str) -> bool:
        column = self.column(at)
        if column > indent:
            return True
        return context == "map" and column == indent and bool(_DASH.match(self.source, at))

    def _take_property(self, node: Node, prop: re.Match[bytes]) -> None:
        if not node.has_props:
            node.props = prop.start()
        if prop[0][0] == 0x26:
            node.anchor = prop[0][1:]
        else:
            node.tag = prop[0]
        node.props_end = node.start = node.end = prop.end()

    def _block_kind(self, at: int, limit: int) -> str:
        if _DASH.match(self.source, at, limit):
            return "sequence"
        if _QUESTION.match(self.source, at, limit) or self.key_at(at, limit):
            return "mapping"
        return ""

    def key_at(self, at: int, limit: int) -> tuple[int, int, int, bool] | None:
        """An implicit key at *at*: start and end of its text, end of its colon, whether complex."""
        match = _KEY.match(self.source, at, limit)
        if match:
            return match.start("key"), match.end("key"), match.end(), False
        empty = _EMPTY_KEY.match(self.source, at, limit)
        if empty:
            return empty.end() - 1, empty.end() - 1, empty.end(), False
        flow = _FLOW_KEY.match(self.source, at, limit)
        if flow is None:
            return None
        stop = self.source.find(b"\n", at, min(limit, at + _MAX_KEY))
        stop = min(limit, at + _MAX_KEY) if stop < 0 else stop
        if not any(closed.search(self.source, at, min(stop + 1, limit)) for closed in _CLOSED):
            return None
        try:
            end = self.flow_end(flow.end(), stop)
        except CannotApply:
            return None
        colon = _COLON.match(self.source, end, limit)
        return (flow.end(), end, colon.end(), True) if colon else None

    def _block(self, node: Node, kind: str, at: int, limit: int) -> Node:
        node.kind, node.style = kind, "block"
        node.start = at
        node.column = self.column(at)
        node.limit = limit
        node.end = -1
        return node

    def _content(self, node: Node, at: int, limit: int) -> Node:
        first = self.source[at : at + 1]
        node.start = at
        if not node.has_props:
            node.props = at
        if first in (b"[", b"{"):
            node.kind, node.style = "sequence" if first == b"[" else "mapping", "flow"
            node.end, node.limit = -1, limit
            return node
        if first == b"*":
            match = _ALIAS.match(self.source, at, limit)
            node.kind, node.end = "alias", match.end() if match else at + 1
        elif first in (b'"', b"'"):
            node.kind, node.style = "scalar", "double" if first == b'"' else "single"
            node.end = quoted_end(self.source, at, limit)
        elif first in (b"|", b">"):
            self._block_scalar(node, at, limit)
        else:
            node.kind, node.style, node.end = "scalar", "plain", self._plain_end(at, limit)
        return node

    def _plain_end(self, at: int, limit: int) -> int:
        return self.text_end(at, self._after(_UNCOMMENTED, at, limit))

    def text_end(self, at: int, end: int) -> int:
        """Return where the text in [at, end) ends without the blanks after it."""
        size = _TEXT_TAIL
        while end > at:
            start = max(at, end - size)
            text = self.source[start:end].rstrip(b" \t\r\n")
            if text:
                return start + len(text)
            end, size = start, 4 * size
        return at

    def _block_scalar(self, node: Node, at: int, limit: int) -> None:
        header = _HEADER.match(self.source, at, limit)
        if header is None:
            raise CannotApply("A block scalar header is malformed")
        node.kind = "scalar"
        node.style = "literal" if self.source[at] == 0x7C else "folded"
        node.header_end = header.start("comment")
        node.marks = header["marks"]
        digits = header["marks"].strip(b"+-")
        base = max(node.indent, 0)
        content = base + int(digits) if digits else -1
        start = self._after(_BREAK, header.end(), limit)
        if content < 0:
            first = _BLANKS.match(self.source, start, limit)
            begin = first.end() if first else start
            spaces = self._after(_SPACES, begin, limit) - begin
            if begin + spaces < limit:
                content = spaces if spaces > node.indent else limit + 1
        node.content_indent = content
        if b"+" in node.marks:
            node.end = max(header.end(), self._kept_end(node, start, limit))
        else:
            node.end = self._text_end(header.end(), start, limit, content)

    def _kept_end(self, node: Node, start: int, limit: int) -> int:
        """Return the end of the last line of a block scalar that keeps its blank lines."""
        content = node.content_indent if node.content_indent <= limit else node.indent + 1
        last = self._last_break(start, limit, content)
        if last == limit and self.source[last - 1 : last] == b"\n":
            last -= 1
        return last - (self.source[last - 1 : last] == b"\r")

    def _last_break(self, start: int, limit: int, content: int) -> int:
        """Return the line break before the first line with text left of the column *content*."""
        less = rb" {0,%d}+(?=[^ \r\n])" % (max(content, 1) - 1)
        last = limit
        for line_break in (rb"\n", rb"\r(?!\n)"):
            stop = re.compile(line_break + less).search(self.source, start - 1, last)
            last = stop.start() if stop else last
        return last

    def _text_end(self, end: int, start: int, limit: int, content: int) -> int:
        """Return the end of the last line with text of a block scalar; *end* when there is none."""
        if content > limit:
            return end
        last = self._last_break(start, limit, content)
        while last >= start:
            begin = max(self.source.rfind(b"\n", start, last) + 1, start)
            line = self.source[begin:last].removesuffix(b"\r")
            if line.strip(b" ") or (0 <= content < len(line)):
                return begin + len(line)
            last = begin - 1
        return end

    # --- nodes of flow collections ------------------------------------------------------------

    def flow_node(self, at: int, limit: int) -> Node:
        """Return the flow node that starts at *at*."""
        node = Node("empty", "flow", at, at, at, at, -1, "flow", limit=limit)
        at = self._properties(node, at, limit)
        first = self.source[at : at + 1]
        if node.has_props:
            node.start = node.end = at
        if first in (b"[", b"{"):
            node.kind, node.start = "sequence" if first == b"[" else "mapping", at
            node.end = self.flow_end(at, limit)
        elif first in (b'"', b"'"):
            node.kind, node.style = "scalar", "double" if first == b'"' else "single"
            node.start, node.end = at, quoted_end(self.source, at, limit)
        elif first == b"*" and (alias := _ALIAS.match(self.source, at, limit)):
            node.kind, node.start, node.end = "alias", at, alias.end()
        elif plain := PLAIN.match(self.source, at, limit):
            node.kind, node.style, node.start, node.end = "scalar", "plain", at, plain.end()
        elif node.has_props:
            node.start = node.end = node.props_end
        if not node.has_props:
            node.props = node.start
        return node

    def flow_parts(self, node: Node) -> Iterator[Portion]:
        """The entries in order as `start, end, how many`, one or a block, with what ends them."""
        limit = node.end if node.end >= 0 else node.limit
        closer = b"]" if self.source[node.start] == 0x5B else b"}"
        at, single = self.space(node.start + 1, limit), BLOCK
        while self.source[at : at + 1] != closer:
            if not single:
                single = BLOCK
                if (end := self.block_end(at, limit)) > at:
                    yield at, end, BLOCK
                    at, single = self.space(end, limit), 0
                    continue
            end = self.entry_end(at, limit)
            # Large entries are as quickly passed over one by one.
            single = max(single - 1, 0) if end - at < _LARGE_FLOW else BLOCK
            has_comma = self.source[end : end + 1] == b","
            if end == at or not (has_comma or self.source[end : end + 1] == closer):
                raise CannotApply("A flow collection is malformed or not closed")
            yield at, end + 1, 1
            at = self.space(end + has_comma, limit)

    def flow_pairs(self, node: Node, start: int, end: int) -> Iterator[Pair]:
        """Yield the entries of a collection in [start, end), each with its key and value."""
        if node.pair is not None:
            yield node.pair
            return
        is_map = self.source[node.start] == 0x7B
        while start < end and self.source[start] not in b"]}":
            pair = self._pair(start, end, is_map=is_map)
            yield pair
            start = self.space(pair.end, end)
            if start < end and self.source[start] == 0x2C:
                start = self.space(start + 1, end)
            elif start < end and self.source[start] not in b"]}":
                raise CannotApply("A flow collection is malformed")

    def _properties(self, node: Node, at: int, limit: int) -> int:
        while prop := _PROPERTY.match(self.source, at, limit):
            if not node.has_props:
                node.props = at
            if prop[0][0] == 0x26:
                node.anchor = prop[0][1:]
            else:
                node.tag = prop[0]
            node.props_end = prop.end()
            at = self.space(prop.end(), limit)
        return at

    def _pair(self, at: int, limit: int, *, is_map: bool) -> Pair:
        start = at
        explicit = _FLOW_QUESTION.match(self.source, at, limit)
        if explicit:
            at = self.space(explicit.end(), limit)
        key = self.flow_node(at, limit)
        end = max(key.end, key.props_end, at)
        colon = self._colon(key, end, limit)
        if colon is None:
            if end == start and not explicit:
                raise CannotApply("A flow collection is malformed")
            if not is_map and not explicit:
                key.slot = start
                return Pair(None, key, start, end)
            value = Node("empty", "", end, end, end, end, -1, "flow", lead=b": ")
        else:
            value = self._flow_value(colon, limit)
        stop = max(value.end, value.props_end, end)
        pair = Pair(key, value, start, stop, key.start, key.end)
        pair.key_text = self.source[key.start : key.end] if key.kind == "scalar" else b""
        pair.is_complex = key.kind not in ("scalar", "empty")
        return pair if is_map else self._single(pair)

    def _flow_value(self, colon: int, limit: int) -> Node:
        value = self.flow_node(self.space(colon, limit), limit)
        if value.kind == "empty" and not value.has_props:
            value.start = value.end = value.props = colon
        value.slot = colon
        return value

    def _single(self, pair: Pair) -> Pair:
        """Return the mapping of one pair that a key with a value inside a list is."""
        mapping = Node("mapping", "flow", pair.start, pair.end, pair.start, pair.start, -1, "flow")
        mapping.pair = pair
        mapping.marks = b"pair"
        return Pair(None, mapping, pair.start, pair.end)

    def _colon(self, key: Node, at: int, limit: int) -> int | None:
        at = self.space(at, limit)
        if self.source[at : at + 1] != b":":
            return None
        json_like = key.style in ("single", "double") or key.kind in ("mapping", "sequence")
        if json_like or _FLOW_COLON.match(self.source, at, limit):
            return at + 1
        return None
