"""Where a large YAML stream can be cut: runs of whole entries of its large collections.

Reading is left to right, and behind the last byte of an entry the state is always the same: inside
this collection, before its next entry. So a run of entries means alone, between the brackets and
keys around it, what it means in its place, and the stream without the run means the same less
these entries. That holds for lines that start a plain or quoted key or a dash at exactly the
column of their block collection while no line between stands further left, for what lies between
commas of one flow collection, and for documents that begin with `---`. Nothing is cut where text
above reaches below (directives), where a line may belong to the one above (`: ` and `? `), or
where the parser refuses a piece; then the stream is read whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from redline.core.errors import CannotApply
from redline.documents.yaml_flow import Node
from redline.documents.yaml_scan import Part, Scanner

# A run has about this many bytes: its tree takes some thirty times as much.
STEP = 1 << 14
STREAM = -1
# Entries that stand beside a run.
ENTRY = b"beside: 0"
_DOCUMENT = b"--- 0\n"
# What one document says about others, how it ends, and marks that mean more at a start.
_CROSSING = (b"\n%", b"\n...", b"\xef\xbb\xbf")


@dataclass(slots=True)
class Run:
    """Whole entries that stand in [start, end); how many, the parser has to say."""

    start: int
    end: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class Region:
    """A large collection that starts at `start` (STREAM: the documents), its runs in order.

    `before` and `after` make a document of a run: in it the collection is `depth` levels down and
    has one more entry on either side, for parsers are more lenient at an end. The first and the
    last entries are in no run, so what is left of the stream ends where it did, too.
    """

    start: int
    kind: str
    before: bytes = b""
    after: bytes = b""
    depth: int = 0
    runs: list[Run] = field(default_factory=list)


def regions_of(scanner: Scanner, parts: list[Part], step: int = STEP) -> list[Region]:
    """Every region of a stream; CannotApply when it is to be read whole."""
    if _is_joined(scanner.source, scanner.bom):
        return []
    splitter = _Splitter(scanner, step)
    splitter.stream(parts)
    return [region for region in splitter.regions if region.runs]


def _is_joined(source: bytes, start: int) -> bool:
    """Whether something in the stream can mean one thing in a piece and another in the whole."""
    if source.startswith(b"%", start) or source.count(b"\r") != source.count(b"\r\n"):
        return True
    return any(source.find(mark, start) >= 0 for mark in _CROSSING)


@lru_cache(maxsize=64)
def _boundary(column: int, kind: str) -> re.Pattern[bytes]:
    """The start of a line from which on a block collection can be read alone."""
    if kind == "sequence":
        return re.compile(rb"\n {%d}(?=-[ \t\r\n])" % column)
    return re.compile(rb"\n {%d}(?=[^ \t\r\n\-?:,\[\]{}#&*!|>%%@`])" % column)


class _Splitter:
    """Cuts collections into runs, the larger ones among their entries too."""

    def __init__(self, scanner: Scanner, step: int) -> None:
        self.scanner = scanner
        self.source = scanner.source
        self.step = step
        self.large = 4 * step
        self.regions: list[Region] = []

    def stream(self, parts: list[Part]) -> None:
        """Cut the documents themselves, or runs of small ones."""
        region = Region(STREAM, "stream", _DOCUMENT, _DOCUMENT)
        self.regions.append(region)
        begin = -1
        for number, part in enumerate(parts):
            start = part.start - 3
            may_go = number > 0 and part.is_marked
            is_small = part.end - part.start <= self.large
            if begin >= 0 and not (may_go and is_small and start - begin < self.step):
                region.runs.append(Run(begin, start))
                begin = -1
            if not is_small:
                self._value(self.scanner.root(part))
            elif may_go and begin < 0:
                begin = start

    def _value(self, node: Node) -> bool:
        """Cut the collection *node* if it can be."""
        if node.style == "block":
            self._block(node)
            return True
        if node.style != "flow" or node.pair is not None:
            return False
        around = {
            "root": b"",
            "map": b" " * node.indent + b"x: ",
            "seq": b" " * node.indent + b"- ",
        }.get(node.context)
        if around is None:
            return False
        self._flow(node.start, node.limit, around, b"", int(node.context != "root"))
        return True

    def _block(self, node: Node) -> None:
        source, limit = self.source, node.limit
        pattern = _boundary(node.column, node.kind)
        if node.column and re.compile(rb"\n {0,%d}[^ \t\r\n#]" % (node.column - 1)).search(
            source, node.start, limit
        ):
            raise CannotApply("A line stands further left than its collection")
        entry = b"- 0\n" if node.kind == "sequence" else ENTRY + b"\n"
        beside = b" " * node.column + entry
        region = Region(node.start, node.kind, beside, beside)
        self.regions.append(region)
        at = self._next(pattern, node.start, limit)
        if at - node.start > self.large:
            self._entry(node, node.start, at)
        while at < limit:
            end = self._next(pattern, at + self.step, limit)
            if end - at > self.large:
                last = self._last(pattern, at)
                if last > at:
                    region.runs.append(Run(at, last))
                    at = last
                end = self._next(pattern, at, limit)
                if end - at > self.large and self._entry(node, at, end):
                    at = end
                    continue
            if end < limit:
                region.runs.append(Run(at, end))
            at = end

    def _next(self, pattern: re.Pattern[bytes], at: int, limit: int) -> int:
        match = pattern.search(self.source, at, limit)
        return match.start() + 1 if match else limit

    def _last(self, pattern: re.Pattern[bytes], at: int) -> int:
        """The last place to cut within a step behind *at*."""
        found = [m.start() + 1 for m in pattern.finditer(self.source, at, at + self.step)]
        return found[-1] if found else at

    def _entry(self, node: Node, at: int, end: int) -> bool:
        """Cut the value of the only entry in [at, end)."""
        child = self.scanner.entry_at(node, at if at == node.start else at + node.column)
        if child.limit != end:
            return False
        return self._value(self.scanner.value_of(node, child))

    def _flow(self, start: int, limit: int, before: bytes, after: bytes, depth: int) -> int:
        """Cut the collection that opens at *start*; where it ends."""
        scanner, source = self.scanner, self.source
        is_map = source[start] == 0x7B
        kind, opening, entry, closing = (
            ("mapping", b"{", ENTRY, b"}") if is_map else ("sequence", b"[", b"0", b"]")
        )
        outside = before + opening, closing + after
        beside = outside[0] + entry + b", ", b" " + entry + outside[1]
        region = Region(start, kind, *beside, depth)
        self.regions.append(region)
        at, is_first = start + 1, True
        while source[(begin := scanner.space(at, limit)) : begin + 1] not in (b"]", b"}", b""):
            end = at if is_first else scanner.entries_end(at, min(at + self.step, limit))
            is_cut = is_first
            if end == at:
                end, has_runs = self._flow_entry(region, begin, limit, outside)
                if source[end] != 0x2C:
                    begin = end
                    break
                end += 1
                is_cut = is_first or has_runs
            if not is_cut:
                self._add(region, at, end)
            at, is_first = end, False
        scanner.ends[start] = begin + 1
        return begin + 1

    def _add(self, region: Region, at: int, end: int) -> None:
        """Entries that are passed over one by one come together in a run, too."""
        last = region.runs[-1] if region.runs else None
        if last and last.end == at and end - last.start <= self.step:
            last.end = end
        else:
            region.runs.append(Run(at, end))

    def _flow_entry(
        self, region: Region, at: int, limit: int, outside: tuple[bytes, bytes]
    ) -> tuple[int, bool]:
        """Where the entry at *at* ends; cut if it is large."""
        end = self._small_end(at, limit)
        if end is not None:
            return end, False
        scanner, source = self.scanner, self.source
        value, before = at, outside[0]
        if region.kind == "mapping":
            value, before = scanner.flow_value_at(at, limit), before + b"x: "
        is_cut = source[value : value + 1] in (b"[", b"{") if value >= 0 else False
        if is_cut:
            end = self._flow(value, limit, before, outside[1], region.depth + 1)
            end = scanner.space(end, limit)
        else:
            end = scanner.entry_end(at, limit)
        if source[end : end + 1] not in (b",", b"]", b"}"):
            raise CannotApply("A flow collection is malformed")
        return end, is_cut

    def _small_end(self, at: int, limit: int) -> int | None:
        window = min(at + self.large, limit)
        try:
            end = self.scanner.entry_end(at, window)
        except CannotApply:
            return None
        return end if end < window and self.source[end] in b",]}" else None
