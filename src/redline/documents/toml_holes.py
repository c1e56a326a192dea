"""Large values of a TOML document, each read in parts of its own.

In the text around it a large value is a hole: a short value of the same kind that names its digest.
The text around then says of the value only where it stands, the parts say what is in it. A part of
an array or inline table is a run of entries between two commas and gets one more entry on either
side where the value goes on, for parsers are more lenient at an end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.core.splice import Splice
from redline.documents.path import Path
from redline.documents.toml_claims import Claims, Families
from redline.documents.toml_entries import items_between, pairs_between
from redline.documents.toml_read import Intent, as_spelled, is_as_meant, read, read_guarded
from redline.documents.toml_scan import RUN, Span, Statement, comma_after
from redline.documents.toml_values import render

_KINDS = {0x5B: "array", 0x7B: "inline", 0x22: "string", 0x27: "string"}
_OPEN = {"array": (b"[", b"[0,"), "inline": (b"{", b'{"<" = 0,')}
_CLOSE = {"array": (b"]", b",0]"), "inline": (b"}", b',">" = 0}')}
_BESIDE = ("<", ">")
_LEVELS = 8
_QUOTES = (b'"""', b"'''")


class Overlap(Exception):
    """A splice changes a part of a hole and something around it."""


class Hole:
    """A value at [start, end) that stands in the text around it as `mark`."""

    def __init__(
        self, source: bytes, span: Span, part: int, *, native: bool, level: int = 0
    ) -> None:
        self.source = source
        self.start, self.end = span
        self.kind = _KINDS[source[self.start]]
        self.native = native
        self._level = level
        self.holes: list[Hole] = []
        self._names = Claims()
        # The commas between parts, the brackets in front of the first and behind the last.
        self._bounds = [self.start]
        self._before = [0]
        digest = sha256(memoryview(source)[self.start : self.end]).hexdigest()
        self.value: Any = {"array": [digest], "inline": {digest: 0}}.get(self.kind, digest)
        self.mark = render(self.value).encode()
        if self.kind != "string":
            self._cut(part)
        self._bounds.append(self.end - 1)
        self.part = part

    def is_valid(self) -> bool:
        """Whether the parts can stand for the whole value, which is then valid."""
        try:
            if self.kind == "string":
                return all(_is_string(text) for text in self._lines())
            return all(hole.is_valid() for hole in self.holes) and self._read_parts()
        except DocumentSyntax:
            return False

    def agrees(self, splices: Sequence[Splice], intent: Intent) -> bool:
        """Whether the parts that *splices* change are changed as meant at a path in this value."""
        inner = hole_around(self.holes, splices)
        if inner is not None:
            part = bisect_left(self._bounds, inner.start) - 1
            path = inner.path_within(self._load(part, part + 1), self._local(intent.path, part))
            return path is not None and inner.agrees(
                splices, Intent(intent.action, path, intent.fragment)
            )
        first = max(bisect_left(self._bounds, min(s.start for s in splices)) - 1, 0)
        last = max(bisect_left(self._bounds, max(s.end for s in splices)), first + 1)
        actual, expected = self._load(first, last, splices), self._load(first, last)
        known = set(expected) if isinstance(expected, dict) else set()
        local = Intent(intent.action, self._local(intent.path, first), intent.fragment)
        if not is_as_meant(expected, actual, local):
            return False
        added = set(actual) - known if isinstance(actual, dict) else set()
        return not self._names.meets(Families(leaves={hash(name) for name in added}))

    def path_within(self, data: Any, path: Path) -> Path | None:
        """The rest of *path* behind this hole in *data*; None if it leads elsewhere."""
        for depth, segment in enumerate(path):
            data = data[segment]
            if data == self.value:
                return path[depth + 1 :] or None
        return None

    def _cut(self, part: int) -> None:
        source, between = self.source, items_between if self.kind == "array" else pairs_between
        entries: Any = between(source, self.start, self.end)
        for start, stop in entries.runs():
            ends: list[int] = [stop]
            if stop - start >= part:
                ends = []
                for entry in islice(entries.read(source, start, entries.stop), RUN):
                    span = (entry.value, entry.end) if isinstance(entry, Statement) else entry
                    self.holes += holes_at(
                        source, span, part, native=self.native, level=self._level + 1
                    )
                    ends.append(span[1])
            for end in ends:
                comma = comma_after(source, end, self.end) if end - self._bounds[-1] >= part else -1
                if comma >= 0:
                    self._bounds.append(comma)

    def _read_parts(self) -> bool:
        for part in range(len(self._bounds) - 1):
            data = self._load(part, part + 1)
            beside = (part > 0) + (part + 2 < len(self._bounds))
            self._before.append(self._before[-1] + len(data) - beside)
            if isinstance(data, dict):
                self._names.add(Families(leaves={hash(n) for n in data if n not in _BESIDE}))
        return self._names.are_distinct()

    def _load(self, first: int, last: int, splices: Sequence[Splice] = ()) -> Any:
        """The entries of the parts from *first* to *last*, those beside them included."""
        opening = _OPEN[self.kind][first > 0]
        closing = _CLOSE[self.kind][last + 1 < len(self._bounds)]
        start, stop = self._bounds[first] + 1, self._bounds[last]
        text = excerpt(self.source, (start, stop), self.holes, splices)
        whole = b"x = " + opening + text + closing
        data = read_guarded(whole) if splices else read(whole, as_spelled, native=self.native)
        return data["x"] if len(data) == 1 else None

    def _local(self, path: Path, part: int) -> Path:
        if path and isinstance(path[0], int):
            index = path[0] - self._before[part]
            if index < 0:
                raise IndexError(index)
            return (index + (part > 0), *path[1:])
        return path

    def _lines(self) -> Iterator[bytes]:
        """The string in parts of whole lines, each a string of its own."""
        source, quotes = self.source, self.source[self.start : self.start + 3]
        at, opening = self.start, b""
        while quotes in _QUOTES:
            stop = source.find(b"\n", at + self.part, self.end - 3) + 1
            while stop and _joins_lines(source, at, stop - 1):
                stop = source.find(b"\n", stop, self.end - 3) + 1
            if not stop:
                break
            yield b"x = " + opening + source[at:stop] + quotes
            at, opening = stop, quotes + b"\n"
        yield b"x = " + opening + source[at : self.end]


def _joins_lines(source: bytes, start: int, at: int) -> bool:
    """Whether the line that breaks at *at* ends with a backslash."""
    line = source[max(source.rfind(b"\n", start, at), start) : at]
    return line.rstrip(b" \t\r").endswith(b"\\")


def _is_string(text: bytes) -> bool:
    data = read(text, float, native=True)
    return len(data) == 1 and isinstance(data["x"], str)


def holes_at(source: bytes, span: Span, part: int, *, native: bool, level: int = 0) -> list[Hole]:
    """The hole a value makes if it is large; each level of them is read once more."""
    if span[1] - span[0] < part or source[span[0]] not in _KINDS or level == _LEVELS:
        return []
    return [Hole(source, span, part, native=native, level=level)]


def hole_around(holes: Sequence[Hole], splices: Sequence[Splice]) -> Hole | None:
    """The hole inside which all *splices* are."""
    start, end = min(s.start for s in splices), max(s.end for s in splices)
    for hole in holes:
        if hole.start < start and end < hole.end:
            return hole
    return None


def excerpt(
    source: bytes, span: Span, holes: Sequence[Hole], splices: Sequence[Splice] = ()
) -> bytes:
    """The text of a span with marks for its holes, after *splices*; Overlap."""
    start, stop = span
    inside = [h for h in holes if start <= h.start and h.end <= stop and not _covers(splices, h)]
    changes = [*splices, *(Splice(hole.start, hole.end, hole.mark) for hole in inside)]
    changes.sort(key=lambda splice: (splice.start, splice.end))
    pieces: list[bytes] = []
    for change in changes:
        pieces += (source[start : change.start], change.data)
        start = change.end
    return b"".join([*pieces, source[start:stop]])


def _covers(splices: Sequence[Splice], hole: Hole) -> bool:
    for splice in splices:
        if splice.end > hole.start and splice.start < hole.end:
            if splice.start > hole.start or splice.end < hole.end:
                raise Overlap
            return True
    return False
