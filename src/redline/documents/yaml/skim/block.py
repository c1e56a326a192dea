"""The node after an indicator of a block collection: its kind, range, tag and anchor."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redline.core.errors import CannotApply
from redline.documents.base.possessive import compile_pattern
from redline.documents.yaml.skim.flow import ALIAS, PROPERTY, FlowScanner, Node
from redline.documents.yaml.skim.skip import quoted_end

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
DASH = re.compile(rb"-(?=[ \t\r\n]|\Z)")
QUESTION = re.compile(rb"\?(?=[ \t\r\n]|\Z)")
_HEADER = re.compile(rb"[|>](?P<marks>[0-9+-]{0,2})(?P<comment>[ \t]+#[^\r\n]*|[ \t]*)(?=\r?\n|\Z)")
_UNCOMMENTED = compile_pattern(rb"(?:[^#]++|(?<![ \t\r\n])#)*+")
# How much is copied at first to find the last byte that is not blank.
_TAIL = 256
_BREAK = re.compile(rb"\r?\n")
_BLANKS = compile_pattern(rb"(?: *+\r?\n)*+")
_SPACES = re.compile(rb" *+")
# An implicit key is on one line and has at most 1,024 characters.
_MAX_KEY = 4096


@dataclass(slots=True)
class BlockScanner(FlowScanner):
    """Reads the nodes of one stream of documents."""

    bom: int = 0

    def line_start(self, at: int) -> int:
        """The offset at which the line of *at* begins, after a byte order mark."""
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
            prop = PROPERTY.match(self.source, at, limit)
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
        return context == "map" and column == indent and bool(DASH.match(self.source, at))

    def _take_property(self, node: Node, prop: re.Match[bytes]) -> None:
        if not node.has_props:
            node.props = prop.start()
        if prop[0][0] == 0x26:
            node.anchor = prop[0][1:]
        else:
            node.tag = prop[0]
        node.props_end = node.start = node.end = prop.end()

    def _block_kind(self, at: int, limit: int) -> str:
        if DASH.match(self.source, at, limit):
            return "sequence"
        if QUESTION.match(self.source, at, limit) or self.key_at(at, limit):
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
        return self.text_end(at, self._after(_UNCOMMENTED, at, limit))

    def text_end(self, at: int, end: int) -> int:
        """Return where the text in [at, end) ends without the blanks after it."""
        size = _TAIL
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
        """The end of the last line of a block scalar that keeps its blank lines."""
        content = node.content_indent if node.content_indent <= limit else node.indent + 1
        last = self._last_break(start, limit, content)
        if last == limit and self.source[last - 1 : last] == b"\n":
            last -= 1
        return last - (self.source[last - 1 : last] == b"\r")

    def _last_break(self, start: int, limit: int, content: int) -> int:
        """The line break before the first line with text left of the column *content*."""
        less = rb" {0,%d}+(?=[^ \r\n])" % (max(content, 1) - 1)
        last = limit
        for line_break in (rb"\n", rb"\r(?!\n)"):
            stop = re.compile(line_break + less).search(self.source, start - 1, last)
            last = stop.start() if stop else last
        return last

    def _text_end(self, end: int, start: int, limit: int, content: int) -> int:
        """The end of the last line with text of a block scalar; *end* when there is none."""
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
