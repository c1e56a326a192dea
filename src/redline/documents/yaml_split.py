"""Where a large YAML stream can be cut: runs of whole entries of its large collections.

Reading is left to right, and behind the last byte of an entry the state is always the same: inside
this collection, before its next entry. So a run of entries means alone, between the brackets and
keys around it, what it means in its place, and the stream without the run means the same less
these entries. That holds for lines that start a key or a dash at exactly the column of their block
collection while no line between stands further left, for what lies between commas of one flow
collection, for documents that begin with `---` or stand behind `...`, and for the text inside one
large scalar. Directives are repeated before every run of their document. Nothing is cut where a
line may belong to the one above (`: `), or where the parser refuses a piece; then the stream is
read whole.
"""

from __future__ import annotations

import re
from functools import lru_cache

from redline.core.errors import CannotApply
from redline.documents.yaml_columns import Columns, line_at
from redline.documents.yaml_flow import Node
from redline.documents.yaml_region import ENTRY, STEP, STREAM, Around, Region
from redline.documents.yaml_scan import Scanner
from redline.documents.yaml_split_flow import FlowSplitter
from redline.documents.yaml_split_text import block_runs, gap_runs, inline_runs
from redline.documents.yaml_stream import Part, Stream

_BOM = b"\xef\xbb\xbf"
_DOCUMENT = b"--- 0\n"
# From this level on, or with so many lines, the columns of all lines are noted first.
_DEEP = 3
_SHORT_LINE = 8
_COLON = re.compile(rb":(?=[ \t\r\n]|\Z)")
_BEGIN = re.compile(rb"\n---(?=[ \t\r\n])")
_BEHIND_END = re.compile(rb"\n(?<=\n\.\.\.\n)|\n(?<=\n\.\.\.\r\n)")


def regions_of(scanner: Scanner, stream: Stream, step: int = STEP) -> list[Region]:
    """Every region of a stream; CannotApply when it is to be read whole."""
    if _is_joined(scanner.source, scanner.bom):
        return []
    splitter = _Splitter(scanner, step)
    splitter.stream(stream)
    return [region for region in splitter.regions if region.runs]


def _is_joined(source: bytes, start: int) -> bool:
    """Whether something in the stream can mean one thing in a piece and another in the whole."""
    if b"\r" in source and source.count(b"\r") != source.count(b"\r\n"):
        return True
    return source.startswith(_BOM, start) or (_BOM in source and b"\n" + _BOM in source)


# Nothing but tags and anchors.
_LONE = re.compile(rb"[&!][^ \t]*(?:[ \t]+[&!][^ \t]*)*(?:[ \t]+#.*)?")


@lru_cache(maxsize=64)
def _boundary(column: int, kind: str) -> re.Pattern[bytes]:
    """The start of a line from which on a block collection can be read alone."""
    if kind == "sequence":
        return re.compile(line_at(column) + rb"(?=-[ \t\r\n])")
    return re.compile(
        line_at(column) + rb"(?=[^ \t\r\n\-?:,\[\]{}#&*!|>%@`]|\?[ \t]"
        rb"|(?:[&!][^ \t\r\n]*[ \t]+)+[\w\"']|\*[^ \t\r\n,\[\]{}]+[ \t]+:)"
    )


class _Splitter(FlowSplitter):
    """Cuts collections into runs, the larger ones among their entries too."""

    def __init__(self, scanner: Scanner, step: int) -> None:
        super().__init__(scanner, step)
        self._is_short = self.source.count(b"\n") * _SHORT_LINE > len(self.source)
        self._has_marks = b"&" in self.source or b"!" in self.source

    def stream(self, stream: Stream) -> None:
        """Cut the documents themselves, or runs of small ones."""
        if not stream.is_uniform:
            raise CannotApply("The documents of this stream are not alike")
        before, pattern = _DOCUMENT, _BEGIN
        if stream.has_directives:
            before, pattern = _DOCUMENT + b"...\n", _BEHIND_END
        region = Region(STREAM, "stream", before, _DOCUMENT)
        self.regions.append(region)
        limit = len(self.source)
        first = stream.part(0)
        self._document(first, 2 * self.step)
        at = self._next(pattern, first.slot, limit) if stream.has_markers else limit
        while at < limit:
            end, inside = self._next(pattern, at + self.step, limit), 0
            if end - at > self._most(end, limit):
                last = self._last(pattern, at)
                if last > at:
                    region.add(at, last, 0, self.step)
                    at = last
                end = self._next(pattern, at + 3, limit)
                part = stream.part_from(at)
                if part is not None and part.head == at:
                    inside = self._document(part, self._most(end, limit))
            if end < limit:
                region.add(at, end, inside, self.step)
            at = end

    def _most(self, end: int, limit: int) -> int:
        """How large an entry may be that is not cut; the last ones are in no run."""
        return self.large if end < limit else 2 * self.step

    def _document(self, part: Part, most: int) -> int:
        """Cut a document that is larger than *most*; how many bytes are in runs then."""
        if part.end - part.start <= most:
            return 0
        self.prefix = self.source[part.head : part.slot] + b"\n" if part.is_directed else b""
        inside = self._value(self.scanner.root(part), 0)
        self.prefix = b""
        return inside

    def _value(self, node: Node, level: int) -> int:
        """Cut *node*, which has *level* collections around it; how many bytes are in runs then."""
        if node.style == "block":
            return self._block(node, level)
        begin = {
            "root": b"",
            "map": b" " * node.indent + b"x: ",
            "seq": b" " * node.indent + b"- ",
        }.get(node.context)
        if begin is None or node.pair is not None:
            return 0
        around = Around(self.prefix + begin, b"", int(node.context != "root"), level)
        if node.style == "flow":
            return self._flow(node.start, node.limit, around)[1]
        if node.kind != "scalar" or self._may_turn(node):
            return 0
        if node.style in ("literal", "folded"):
            return self._texts(block_runs(self.source, node, self.step, level))
        return self._texts(inline_runs(self.source, node.start, node.end, around, self.step))

    def _may_turn(self, node: Node) -> bool:
        """Whether the scalar or a line of it would be a key, or a directive, if it were shorter."""
        if node.style == "plain":
            if self.source[node.start] in b"%@`":
                return True
            return _COLON.search(self.source, node.start, node.end) is not None
        return self.scanner.space(node.end, node.limit) != node.limit

    def _block(self, node: Node, level: int) -> int:
        limit, column = node.limit, node.column
        pattern = _boundary(column, node.kind)
        if self.scanner.columns is None and (level >= _DEEP or self._is_short):
            self.scanner.columns = Columns(self.source)
        if column and self._is_left(node):
            raise CannotApply("A line stands further left than its collection")
        entry = b"- 0\n" if node.kind == "sequence" else ENTRY + b"\n"
        beside = b" " * column + entry
        region = Region(node.start, node.kind, self.prefix + beside, beside, 0, level)
        self.regions.append(region)
        at = self._next(pattern, node.start, limit, column)
        removed = 0
        if at - node.start > 2 * self.step:
            removed = self._entry(node, node.start, at, region)
        while at < limit:
            end, inside = self._next(pattern, at + self.step, limit, column), 0
            if end - at > self._most(end, limit):
                last = self._last(pattern, at)
                if last > at:
                    removed += region.add(at, last, 0, self.step)
                    at = last
                end = self._next(pattern, at, limit, column)
                if end - at > self._most(end, limit):
                    inside = self._entry(node, at, end, region)
            removed += region.add(at, end, inside, self.step) if end < limit else inside
            at = end
        return removed

    def _is_left(self, node: Node) -> bool:
        columns, column = self.scanner.columns, node.column
        if columns is not None:
            return columns.is_left(column, node.start, node.limit)
        pattern = re.compile(rb"\n {0,%d}+[^ \t\r\n#]" % (column - 1))
        return pattern.search(self.source, node.start, node.limit) is not None

    def _next(self, pattern: re.Pattern[bytes], at: int, limit: int, column: int = 0) -> int:
        match = self.scanner.search(pattern, column, at, limit)
        while match and self._is_claimed(match.start() + 1):
            match = self.scanner.search(pattern, column, match.end(), limit)
        return match.start() + 1 if match else limit

    def _last(self, pattern: re.Pattern[bytes], at: int) -> int:
        """The last place to cut within a step behind *at*."""
        found = [m.start() + 1 for m in pattern.finditer(self.source, at, at + self.step)]
        while found and self._is_claimed(found[-1]):
            found.pop()
        return found[-1] if found else at

    def _is_claimed(self, at: int) -> bool:
        """Whether tags and anchors alone on the line above belong to what begins at *at*."""
        end = at if self._has_marks else 0
        while end > 0:
            end = self.scanner.text_end(0, end)
            start = self.source.rfind(b"\n", 0, end) + 1
            line = self.source[start:end].strip()
            if line and line[0] != 0x23:
                return line[0] in b"&!" and _LONE.fullmatch(line) is not None
            end = start - 1
        return False

    def _entry(self, node: Node, at: int, end: int, region: Region) -> int:
        """Cut the value of the only entry in [at, end); how many bytes are in runs then."""
        child = self.scanner.entry_at(node, at if at == node.start else at + node.column)
        if child.limit != end:
            return 0
        value = self.scanner.value_of(node, child)
        inside = self._value(value, region.level + 1)
        return inside + self._gap(value, end, region)

    def _gap(self, value: Node, end: int, region: Region) -> int:
        """Cut the comments between a value and the next entry of its collection."""
        if value.style in ("block", "literal", "folded"):
            return 0
        last = value.slot if value.kind == "empty" else self.scanner.end_of(value)
        start = self.source.find(b"\n", max(last, value.props_end)) + 1
        if end - start <= 2 * self.step or not start:
            return 0
        return self._texts(gap_runs(self.source, start, end, region, self.step))
