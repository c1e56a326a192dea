"""A skimmer over YAML bytes: finds the bytes of the node at a path without parsing the rest.

A block collection's entries are the lines that start at exactly its column; everything deeper is
skipped by one regular expression. What it finds is never trusted alone: yaml_verify compares it
with an independent parser before any change leaves this package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from redline.core.errors import CannotApply
from redline.documents.yaml_flow import (
    ALIAS,
    PROPERTY,
    FlowScanner,
    Node,
    decode_key,
    quoted_end,
)

_GAP = re.compile(rb"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*[ ]*")
_INLINE = re.compile(rb"[ \t]*")
_LINE_REST = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)")
_PLAIN = (
    rb"(?:[^ \t\r\n\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^ \t\r\n]))"
    rb"(?:[^ \t\r\n:#]|:(?=[^ \t\r\n])|(?<![ \t\r\n])#|[ \t]+(?=[^ \t\r\n#:]|:[^ \t\r\n]))*"
)
_KEY = re.compile(
    rb"(?P<props>(?:[&!][^ \t\r\n]*[ \t]+)*)"
    rb"(?P<key>\"(?:[^\"\\\r\n]|\\[^\r\n])*\"|'(?:[^'\r\n]|'')*'|\*[^ \t\r\n,\[\]{}]+|"
    + _PLAIN
    + rb")[ \t]*:(?=[ \t\r\n]|\Z)"
)
_EMPTY_KEY = re.compile(rb"(?:[&!][^ \t\r\n]*[ \t]+)*:(?=[ \t\r\n]|\Z)")
_FLOW_KEY = re.compile(rb"(?:[&!][^ \t\r\n]*[ \t]+)*(?=[\[{])")
_COLON = re.compile(rb"[ \t]*:(?=[ \t\r\n]|\Z)")
_DASH = re.compile(rb"-(?=[ \t\r\n]|\Z)")
_QUESTION = re.compile(rb"\?(?=[ \t\r\n]|\Z)")
_VALUE = re.compile(rb":(?=[ \t\r\n]|\Z)")
_HEADER = re.compile(rb"[|>](?P<marks>[0-9+-]{0,2})(?P<comment>[ \t]+#[^\r\n]*|[ \t]*)(?=\r?\n|\Z)")
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_MARKER = re.compile(rb"(?:^|(?<=\A\xef\xbb\xbf))(---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_CONTENT = re.compile(rb"^(?![ \t]*(?:#|\r?$)|%)[ \t]*[^ \t\r\n]", re.MULTILINE)


_SEARCHABLE = re.compile(r"[A-Za-z0-9_./@$<-][A-Za-z0-9_./@$<>-]*")
_LARGE = 4096


@dataclass(frozen=True, slots=True)
class Part:
    """One document of a stream: where its content may stand and the offset behind `---`."""

    start: int
    end: int
    slot: int
    is_marked: bool


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


@dataclass(slots=True)
class Scanner(FlowScanner):
    """Lookups over one stream of documents."""

    bom: int = 0
    _lines: dict[int, re.Pattern[bytes]] = field(default_factory=dict)

    def parts(self) -> list[Part]:
        """The documents of the stream, in order."""
        source = self.source
        if not (
            b"---" in source[self.bom : self.bom + 3] or b"\n---" in source or b"..." in source
        ):
            return [Part(self.bom, len(source), self.bom, is_marked=False)]
        found: list[Part] = []
        start, slot, marked = self.bom, self.bom, False
        for marker in _MARKER.finditer(self.source):
            self._close(found, start, marker.start(), slot, marked=marked)
            marked = marker[1] == b"---"
            start = slot = marker.end()
        self._close(found, start, len(self.source), slot, marked=marked)
        return found or [Part(self.bom, len(self.source), self.bom, is_marked=False)]

    def _close(self, found: list[Part], start: int, end: int, slot: int, *, marked: bool) -> None:
        if marked or _CONTENT.search(self.source, start, end):
            found.append(Part(start, end, slot, marked))

    def root(self, part: Part) -> Node:
        """The root node of one document."""
        return self.value_node(part.slot, part.end, -1, "root")

    def line_start(self, at: int) -> int:
        """The offset at which the line of *at* begins, behind a byte order mark."""
        return max(self.source.rfind(b"\n", 0, at) + 1, self.bom)

    def column(self, at: int) -> int:
        """How many bytes stand before *at* on its line."""
        return at - self.line_start(at)

    def value_node(self, slot: int, limit: int, indent: int, context: str) -> Node:
        """The node that stands behind an indicator; `empty` when there is none."""
        node = Node("empty", "", slot, slot, slot, slot, indent, context, limit=limit)
        at = self._skip(_INLINE, slot, limit)
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
            prop = PROPERTY.match(self.source, at, limit)
            if prop is None:
                break
            self._take_property(node, prop)
            block_allowed = False
            at = self._skip(_INLINE, prop.end(), limit)
        return self._content(node, at, limit)

    def _skip(self, pattern: re.Pattern[bytes], at: int, limit: int) -> int:
        match = pattern.match(self.source, at, limit)
        return match.end() if match else at

    def _next_line(self, at: int, limit: int) -> int:
        at = self._skip(_GAP, at, limit)
        return self._skip(_INLINE, at, limit) if self.source[at : at + 1] == b"\t" else at

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
        if _QUESTION.match(self.source, at, limit) or self._key(at, limit):
            return "mapping"
        return ""

    def _key(self, at: int, limit: int) -> tuple[int, int, int, bool] | None:
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
        try:
            end = self.flow_node(flow.end(), limit).end
        except CannotApply:
            return None
        if b"\n" in self.source[at:end]:
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

    def end_of(self, node: Node) -> int:
        """Where a node's last content byte is; block collections are measured on demand."""
        if node.end < 0:
            last = self.children(node)[-1]
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

    def _content(self, node: Node, at: int, limit: int) -> Node:
        first = self.source[at : at + 1]
        node.start = at
        if not node.has_props:
            node.props = at
        if first in (b"[", b"{"):
            return self.finish_flow(node, self.flow_node(at, limit))
        if first == b"*":
            match = ALIAS.match(self.source, at, limit)
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
        end = at
        while at < limit:
            match = _LINE.match(self.source, at, limit)
            if match is None or match.end() == at:
                break
            text = match[1]
            stripped = text.strip(b" \t")
            if stripped.startswith(b"#") and end != at:
                break
            comment = _COMMENT.search(text)
            if comment:
                text = text[: comment.start()]
            if text.strip(b" \t"):
                end = at + len(text.rstrip(b" \t"))
            at = match.end()
            if comment:
                break
        return end

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
        node.end = header.end()
        position = self._skip(_BREAK, header.end(), limit)
        while position < limit:
            match = _LINE.match(self.source, position, limit)
            if match is None or match.end() == position:
                break
            line = match[1]
            spaces = len(line) - len(line.lstrip(b" "))
            if spaces < len(line):
                if content < 0:
                    content = spaces if spaces > node.indent else limit + 1
                if spaces < content:
                    break
                node.end = match.end(1)
            elif content >= 0 and len(line) > content:
                node.end = match.end(1)
            position = match.end()
        node.content_indent = content

    def find_key(self, node: Node, key: str) -> Child | None:
        """The only entry named *key* of a large block mapping, or None when a walk must tell.

        Searching for the key's plain or quoted spelling takes one pass at C speed. It is sure only
        when the spelling is found once and no key of this mapping is spelled in a way that could
        mean the same (escapes, tags, `? `).
        """
        size = node.limit - node.start
        if node.style != "block" or node.children is not None or size < _LARGE:
            return None
        if not _SEARCHABLE.fullmatch(key):
            return None
        column, name = b"\n {%d}" % node.column, re.escape(key.encode("utf-8"))
        spelled = rb"(?:%b|\"%b\"|'%b')[ \t]*:(?=[ \t\r\n]|\Z)" % (name, name, name)
        odd = re.compile(column + rb"(?:\"[^\"\n]*\\|'[^'\n]*''|[?&!*\[{:])")
        if odd.search(self.source, node.start, node.limit):
            return None
        pattern = re.compile(column + b"(?=%b)" % spelled)
        found = [m.end() for m in pattern.finditer(self.source, node.start, node.limit)]
        if re.compile(spelled).match(self.source, node.start):
            found.append(node.start)
        return self._only(node, found) if len(found) == 1 else None

    def _only(self, node: Node, found: list[int]) -> Child:
        following = re.compile(rb"\n {%d}(?=[^ \t\r\n#\]}])(?!-[ \t\r\n])" % node.column)
        match = following.search(self.source, found[0], node.limit)
        limit = match.start() + 1 if match else node.limit
        return self._implicit(found[0], limit)

    def find_item(self, node: Node, index: int) -> tuple[Child | None, int]:
        """The item at *index* (may be negative) of a list, and the number of items."""
        if node.style != "block" or node.children is not None:
            children = self.children(node)
            position = index + len(children) if index < 0 else index
            return (children[position] if 0 <= position < len(children) else None), len(children)
        starts = self.entry_starts(node)
        position = index + len(starts) if index < 0 else index
        if not 0 <= position < len(starts):
            return None, len(starts)
        last = position + 1 == len(starts)
        limit = node.limit if last else self.line_start(starts[position + 1])
        start = starts[position]
        if not _DASH.match(self.source, start):
            raise CannotApply(f"Line {self.line_of(start)} is not an item of its list")
        return Child(None, start, start, start, start + 1, limit, "seq"), len(starts)

    def children(self, node: Node) -> list[Child]:
        """Every entry of a collection, in order."""
        if node.style == "flow":
            return self._flow_children(node)
        if node.children is None:
            starts = self.entry_starts(node)
            build = self._items if node.kind == "sequence" else self._members
            node.children = build(node, starts)
        found: list[Child] = node.children
        return found

    def entry_starts(self, node: Node) -> list[int]:
        """Where lines start at exactly the collection's column."""
        column = node.column
        pattern = self._lines.get(column)
        if pattern is None:
            pattern = re.compile(rb"\n {%d}(?=[^ \t\r\n#\]}])" % column)
            self._lines[column] = pattern
        return [
            node.start,
            *(m.end() for m in pattern.finditer(self.source, node.start, node.limit)),
        ]

    def _items(self, node: Node, starts: list[int]) -> list[Child]:
        items: list[Child] = []
        for position, start in enumerate(starts):
            limit = (
                self.line_start(starts[position + 1]) if position + 1 < len(starts) else node.limit
            )
            if not _DASH.match(self.source, start):
                raise CannotApply(f"Line {self.line_of(start)} is not an item of its list")
            items.append(Child(None, start, start, start, start + 1, limit, "seq"))
        return items

    def _members(self, node: Node, starts: list[int]) -> list[Child]:
        source = self.source
        if not _DASH.match(source, node.start):
            starts = [at for at in starts if not _DASH.match(source, at)]
        members: list[Child] = []
        for position, start in enumerate(starts):
            limit = (
                self.line_start(starts[position + 1]) if position + 1 < len(starts) else node.limit
            )
            if _QUESTION.match(source, start):
                members.append(self._explicit(node, start, limit))
                continue
            pending = members[-1] if members else None
            if _VALUE.match(source, start) and pending is not None and pending.value_start == -2:
                pending.value_start, pending.slot, pending.limit = start, start + 1, limit
                pending.context = "explicit"
                pending.value = None
                continue
            members.append(self._implicit(start, limit))
        return members

    def _implicit(self, start: int, limit: int) -> Child:
        key = self._key(start, limit)
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

    def _flow_children(self, node: Node) -> list[Child]:
        if node.children is None:
            node.children = [
                Child(
                    None if pair.key is None or pair.is_complex else decode_key(pair.key_text),
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
                for pair in node.pairs
            ]
        found: list[Child] = node.children
        return found

    def line_of(self, at: int) -> int:
        """The number of the line of *at*, from 1."""
        return self.source.count(b"\n", 0, at) + 1


_COMMENT = re.compile(rb"(?:^|[ \t])#")
_BREAK = re.compile(rb"\r?\n")
