"""Where the text of a new value goes when a YAML node is replaced."""

from __future__ import annotations

import re

from redline.core.records import dataclass
from redline.core.splice import Splice
from redline.documents.yaml.edit.fragment import Fragment
from redline.documents.yaml.skim.nodes import Node
from redline.documents.yaml.skim.scan import Scanner

_BREAK = re.compile(rb"\r?\n|\Z")
# A key that ends its line, and the indentation of the line below it.
_OPENED = re.compile(
    rb"^( *+)[^ \t\r\n#-][^\r\n]*:[ \t]*(?:[ \t]#[^\r\n]*)?\r?\n(?=( *+)[^ \t\r\n#])", re.MULTILINE
)
# The first lines show how deep one level is.
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Style:
    """How this document breaks and indents lines."""

    newline: bytes
    step: int

    @classmethod
    def of(cls, source: bytes) -> Style:
        """What *source* does."""
        crlf = source.count(b"\r\n") if b"\r" in source else 0
        newline = b"\r\n" if crlf and crlf > source.count(b"\n") - crlf else b"\n"
        opened = _OPENED.finditer(source, 0, _SAMPLE)
        steps = (len(below) - len(above) for above, below in map(re.Match.groups, opened))
        return cls(newline, next((step for step in steps if 1 < step <= 8), 2))

    def lines(self, lines: list[bytes], column: int) -> bytes:
        """Lines joined, all but the first moved to *column*; empty ones stay empty."""
        pad = b" " * column
        return self.newline.join([lines[0], *(pad + line if line else line for line in lines[1:])])


def line_stop(source: bytes, at: int) -> int:
    """Return the offset of the line break after *at*, or the end of the text."""
    match = _BREAK.search(source, at)
    return match.start() if match else len(source)


class Placer:
    """Plans the splices that put a value in the place of a node."""

    def __init__(self, scanner: Scanner, style: Style) -> None:
        self.scanner = scanner
        self.source = scanner.source
        self.style = style

    def replace(self, node: Node, value: Fragment) -> list[Splice]:
        """Return splices that replace *node* by *value*; its anchor stays, its tag goes."""
        if node.context == "flow":
            return self._in_flow(node, value)
        if node.context == "noval":
            text = self.style.newline + b" " * node.indent + self.entry(b":", value, node.indent)
            at = line_stop(self.source, node.slot)
            return [Splice(at, at, text)]
        if node.context == "root" and (node.has_props or node.kind == "empty"):
            return self._whole_root(node, value)
        if value.is_block:
            return self._block(node, value)
        if value.is_block_scalar:
            return self._block_scalar(node, value)
        pad = max(node.indent, 0) + self.style.step
        return self._inline(node, self.style.lines(value.inline_lines(), pad))

    def entry(self, prefix: bytes, value: Fragment, column: int) -> bytes:
        """An entry `prefix value` of a block collection at *column*, first line not indented."""
        step = 2 if prefix == b"-" else self.style.step
        if value.is_empty:
            return prefix
        if value.is_block and prefix == b"-" and not value.props:
            return b"- " + self.style.lines(value.block_lines(), column + 2)
        if value.is_block:
            head = prefix + (b" " + value.props if value.props else b"")
            return self.style.lines([head, *value.block_lines()], column + step)
        if value.is_block_scalar:
            head = prefix + b" " + self._scalar_header(value, step)
            return self.style.lines([head, *value.scalar_lines()], column + step)
        return prefix + b" " + self.style.lines(value.inline_lines(), column + step)

    def with_final_break(self, splices: list[Splice], value: Fragment) -> list[Splice]:
        """End the file with the line break of a block scalar; without it parsers differ."""
        last = max(splices, key=lambda splice: splice.end, default=None)
        if last is None or last.end < len(self.source) or not value.ends_with_break:
            return splices
        if not last.data or last.data.endswith(b"\n"):
            return splices
        closed = Splice(last.start, last.end, last.data + self.style.newline)
        return [closed if splice is last else splice for splice in splices]

    def _whole_root(self, node: Node, value: Fragment) -> list[Splice]:
        """A root with a tag or an anchor, or none at all, is written again after its marker."""
        keep = self._anchor_to_keep(node, value)
        start = node.props if node.has_props else node.slot
        end = max(self.scanner.end_of(node) if node.kind != "empty" else node.slot, node.props_end)
        text = self.entry(keep.rstrip(b" "), value, 0).lstrip(b" ")
        on_marker_line = bool(self.source[self.scanner.line_start(start) : start].strip())
        if value.is_block and on_marker_line and not keep and not value.props:
            text = self.style.newline + text.lstrip(b"\r\n")
        elif not keep:
            text = text.lstrip(b"\r\n")
        if node.kind == "empty" and not node.has_props:
            return self._first_root(text, node, on_marker_line=on_marker_line)
        return [Splice(start, end, text)]

    def _first_root(self, text: bytes, node: Node, *, on_marker_line: bool) -> list[Splice]:
        at = node.slot
        if on_marker_line:
            return [Splice(at, at, text if text[:1] in (b"\r", b"\n") else b" " + text)]
        at = node.limit if node.limit >= 0 else len(self.source)
        if self.source[:at].endswith(b"\n") or at == self.scanner.bom:
            return [Splice(at, at, text + self.style.newline)]
        return [Splice(at, at, self.style.newline + text)]

    def _in_flow(self, node: Node, value: Fragment) -> list[Splice]:
        keep = self._anchor_to_keep(node, value)
        text = (keep + value.flow).rstrip(b" ")
        if node.kind == "empty" and not node.has_props:
            return [Splice(node.start, node.start, node.lead + (text or b"null"))]
        start = node.props if node.has_props else node.start
        return [Splice(start, max(node.end, node.props_end), text or b"null")]

    def _inline(self, node: Node, text: bytes) -> list[Splice]:
        keep = self._kept_text(node)
        if not text and node.context != "root":
            return self._clear(node, keep.rstrip(b" "))
        if node.kind == "empty":
            return self._fill(node, text)
        if self._is_below(node) and node.style == "block" and node.context != "root":
            head = self._header(node, (b" " + keep + text).rstrip(b" "))
            cut = self._break_before(node.start)
            return [head, Splice(max(cut, head.end), self.scanner.end_of(node), b"")]
        splices = self._properties(node, keep)
        start = node.start if splices else (node.props if node.has_props else node.start)
        text = text if splices else keep + text
        if node.style in ("literal", "folded"):
            stop = line_stop(self.source, node.header_end)
            body = [Splice(stop, node.end, b"")] if node.end > stop else []
            return [*splices, Splice(start, node.header_end, text), *body]
        return [*splices, Splice(start, self.scanner.end_of(node), text)]

    def _clear(self, node: Node, keep: bytes) -> list[Splice]:
        """Leave nothing but the anchor after the indicator."""
        head = b" " + keep if keep else b""
        end = max(self.scanner.end_of(node) if node.kind != "empty" else node.slot, node.props_end)
        if self._is_below(node) and node.style == "block":
            first = self._header(node, head)
            return [first, Splice(max(self._break_before(node.start), first.end), end, b"")]
        return [Splice(node.slot, end, head)]

    def _properties(self, node: Node, keep: bytes) -> list[Splice]:
        """Return a separate splice for properties on a line above the content."""
        if node.has_props and b"\n" in self.source[node.props_end : node.start]:
            return [Splice(node.props, node.props_end, keep.rstrip(b" "))]
        return []

    def _fill(self, node: Node, text: bytes) -> list[Splice]:
        if node.has_props:
            keep = self._kept_text(node)
            return [Splice(node.props, node.props_end, (keep + text).rstrip(b" "))]
        return [Splice(node.slot, node.slot, b" " + text if text else b"")]

    def _block(self, node: Node, value: Fragment) -> list[Splice]:
        lines = value.block_lines()
        keep = self._anchor_to_keep(node, value)
        head = (keep + value.props).strip(b" ")
        if node.style == "block" and (node.column > node.indent or lines[0].startswith(b"-")):
            return self._block_for_block(node, head, lines)
        if node.context == "root":
            return self._block_at_root(node, head, lines)
        if node.context in ("seq", "explicit") and not head and not self._has_comment(node):
            start = node.props if node.has_props else node.start
            column = self.scanner.column(start) if node.kind != "empty" else node.indent + 2
            text = self.style.lines(lines, column)
            if node.kind == "empty":
                return [Splice(node.slot, max(node.slot, node.props_end), b" " + text)]
            if not self._is_below(node):
                return [Splice(start, self.scanner.end_of(node), text)]
        step = 2 if node.context == "seq" else self.style.step
        body = self.style.lines([b"", *lines], node.indent + step)
        return self._under_header(node, b" " + head if head else b"", body)

    def _block_for_block(self, node: Node, head: bytes, lines: list[bytes]) -> list[Splice]:
        text = self.style.lines(lines, node.column)
        body = Splice(node.start, self.scanner.end_of(node), text)
        if not head and not node.has_props:
            return [body]
        if not self._is_below(node) and node.context != "root":
            return self._under_header(
                node, b" " + head, self.style.lines([b"", *lines], node.indent + 2)
            )
        return [self._header(node, b" " + head if head else b""), body]

    def _block_at_root(self, node: Node, head: bytes, lines: list[bytes]) -> list[Splice]:
        start = node.start
        text = self.style.lines(lines, self.scanner.column(start))
        on_marker_line = (
            node.slot > self.scanner.bom and b"\n" not in self.source[node.slot : start]
        )
        if on_marker_line:
            text = (b" " + head if head else b"") + self.style.newline
            text += self.style.lines(lines, 0)
            return [Splice(node.slot, self.scanner.end_of(node), text)]
        if head:
            text = head + self.style.newline + text
        return [Splice(start, self.scanner.end_of(node), text)]

    def _block_scalar(self, node: Node, value: Fragment) -> list[Splice]:
        keep = self._anchor_to_keep(node, value)
        step = 2 if node.context == "seq" else self.style.step
        header = keep + self._scalar_header(value, step)
        body = self.style.lines([b"", *value.scalar_lines()], max(node.indent, 0) + step)
        if node.context == "root" and self._is_below(node):
            end = self.scanner.end_of(node)
            return [Splice(node.start, end, header + body)]
        return self._under_header(node, b" " + header, body)

    def _under_header(self, node: Node, head: bytes, body: bytes) -> list[Splice]:
        """*head* after the indicator, the line's comment kept, *body* on the lines below."""
        end = self.scanner.end_of(node) if node.kind != "empty" else node.slot
        end = max(end, node.props_end)
        if node.context == "root" and not self.source[node.slot : node.slot + 1].strip(b" \t"):
            head = head if node.slot > self.scanner.bom else head.lstrip(b" ")
        if node.kind != "empty" and self._is_below(node):
            stop = line_stop(self.source, node.slot)
            # Below a header a comment would be text. That of a last entry goes with the entry.
            comment = self.source[end : line_stop(self.source, end)].strip(b" \t")
            head += b" " + comment if comment and node.style != "block" else b""
            end = line_stop(self.source, end)
            on_header_line = node.has_props and node.props_end <= stop
            first = Splice(node.slot, node.props_end if on_header_line else node.slot, head)
            return [first, Splice(stop, end, body)]
        if node.style in ("literal", "folded"):
            stop = line_stop(self.source, node.header_end)
            return [Splice(node.slot, node.header_end, head), Splice(stop, max(end, stop), body)]
        stop = line_stop(self.source, end)
        if not self.source[end:stop].strip(b" \t"):
            return [Splice(node.slot, stop, head + body)]
        return [Splice(node.slot, end, head), Splice(stop, stop, body)]

    def _header(self, node: Node, text: bytes) -> Splice:
        """Replace what is after the indicator on its own line by *text*."""
        return Splice(node.slot, node.props_end if node.has_props else node.slot, text)

    def _has_comment(self, node: Node) -> bool:
        end = self.scanner.end_of(node) if node.kind != "empty" else node.slot
        end = max(end, node.props_end)
        return bool(self.source[end : line_stop(self.source, end)].strip(b" \t"))

    def _is_below(self, node: Node) -> bool:
        return b"\n" in self.source[node.slot : node.start]

    def _break_before(self, at: int) -> int:
        start = self.scanner.line_start(at)
        return start - (2 if self.source[start - 2 : start] == b"\r\n" else 1)

    def _scalar_header(self, value: Fragment, step: int) -> bytes:
        marks = value.root.marks
        chomp = b"".join(bytes((mark,)) for mark in marks if mark in b"+-")
        digit = b"%d" % step if marks.strip(b"+-") else b""
        props = value.props + b" " if value.props else b""
        first = value.source[value.root.start : value.root.start + 1]
        return props + first + digit + chomp

    def _anchor_to_keep(self, node: Node, value: Fragment) -> bytes:
        return b"" if value.root.anchor is not None else self._kept_text(node)

    @staticmethod
    def _kept_text(node: Node) -> bytes:
        return b"&" + node.anchor + b" " if node.anchor is not None else b""
