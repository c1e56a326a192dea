"""The documents of a YAML stream, found by their markers; no list of them is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from redline.core.records import dataclass
from redline.documents.base.possessive import compile_pattern

_FIRST = re.compile(rb"(?:\xef\xbb\xbf)?(---|\.\.\.)(?=[ \t\r\n]|\Z)")
_MARKER = re.compile(rb"\n(---|\.\.\.)(?=[ \t\r\n]|\Z)")
_DASHES = re.compile(rb"\n---(?=[ \t\r\n]|\Z)")
_NEXT = re.compile(rb"\n(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_CONTENT = re.compile(rb"^(?![ \t]*(?:#|\r?$)|%)[ \t]*[^ \t\r\n]", re.MULTILINE)
_BLANK = rb"[ \t]*+(?:#[^\n]*+)?+\r?+"
_MARKED = rb"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)"
# An end marker after which, apart from directives, something other than `---` comes.
_BARE = rb"\.\.\.(?=[ \t\r\n]|\Z)(?!%b(?:\n(?:%%[^\n]*+|%b(?=\n|\Z)))*+(?:\Z|\n%b))" % (
    _BLANK, _BLANK, _MARKED
)  # fmt: skip
# A line of content that a directive follows.
_LOOSE = rb"(?![ \t]*+(?:#|\r?$)|%%|\.\.\.[ \t\r\n])[^\n]*+(?:\n%b(?=\n))*+\n%%" % _BLANK
# Of the first line, and of any other.
_BARE_FIRST, _BARE_LINE = (compile_pattern(lead + _BARE, re.MULTILINE) for lead in (b"", rb"\n"))
_LOOSE_FIRST, _LOOSE_LINE = (compile_pattern(lead + _LOOSE, re.MULTILINE) for lead in (b"", rb"\n"))
# How much text is read at once when only the number of documents matters.
_WINDOW = 1 << 15


@dataclass(frozen=True, slots=True)
class StreamPart:
    """One document: where its content may be, and the offset after its `---` or its start."""

    start: int
    end: int
    slot: int


class Stream:
    """The documents of one stream, in order."""

    def __init__(self, source: bytes, bom: int = 0) -> None:
        self.source = source
        self.bom = bom

    @cached_property
    def has_markers(self) -> bool:
        """Whether a line may be the start or the end of a document."""
        source = self.source
        return (
            self._has_dashes
            or (b"..." in source and b"\n..." in source)
            or source.startswith((b"---", b"..."), self.bom)
        )

    @cached_property
    def _has_dashes(self) -> bool:
        """Whether a line but the first may begin with `---`; a rare byte is looked for first."""
        return b"---" in self.source and b"\n---" in self.source

    @cached_property
    def has_directives(self) -> bool:
        """Whether a line may be a directive."""
        source = self.source
        return b"%" in source and (source.startswith(b"%", self.bom) or b"\n%" in source)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether each document but the first begins with `---`, and directives end nothing."""
        source = self.source
        if self.has_directives:
            last = source.rfind(b"\n%") + 2
            if _LOOSE_FIRST.match(source, 0, last) or _LOOSE_LINE.search(source, 0, last):
                return False
        if b"..." not in source:
            return True
        return not (_BARE_FIRST.match(source) or _BARE_LINE.search(source))

    @cached_property
    def count(self) -> int:
        """How many documents there are; nothing at all counts as one."""
        if not self.is_uniform:
            return sum(1 for _ in self.parts())
        return len(self._lead) + sum(count for _, _, count in self._windows())

    @cached_property
    def _lead(self) -> list[StreamPart]:
        """The documents above the first marker that follows a line break."""
        first = self._first_dashes()
        return list(self.parts() if first is None else self._parts(first + 1))

    def _first_dashes(self) -> int | None:
        found = _DASHES.search(self.source, self.bom) if self._has_dashes else None
        return found.start() if found else None

    def _windows(self) -> Iterator[tuple[int, int, int]]:
        """From the first marker on: `start, end, how many markers`."""
        first = self._first_dashes()
        start = len(self.source) if first is None else first
        while start < len(self.source):
            following = _DASHES.search(self.source, start + _WINDOW)
            end = following.start() if following else len(self.source)
            yield start, end, len(_DASHES.findall(self.source, start, end))
            start = end

    def part(self, index: int) -> StreamPart:
        """Return the document at *index*, from 0."""
        if not self.is_uniform:
            return next(part for number, part in enumerate(self.parts()) if number == index)
        if index < len(self._lead):
            return self._lead[index]
        index -= len(self._lead)
        for start, end, count in self._windows():
            if index < count:
                found = _DASHES.finditer(self.source, start, end)
                return self.part_at(next(m for n, m in enumerate(found) if n == index).start() + 1)
            index -= count
        raise IndexError(index)

    def tag_directives(self, part: StreamPart) -> bytes:
        """Return the lines above a document that say what its tags mean."""
        source, at = self.source, part.slot - 3
        if not self.has_directives or source[max(at, 0) : part.slot] != b"---":
            return b""
        found: list[bytes] = []
        while at > self.bom:
            start = max(source.rfind(b"\n", 0, at - 1) + 1, self.bom)
            line, at = source[start:at].strip(), start
            if line.startswith(b"%TAG"):
                found.append(line + b"\n")
            elif line and not line.startswith((b"%", b"#")):
                break
        return b"".join(reversed(found))

    def part_at(self, marker: int) -> StreamPart:
        """Return the document whose `---` is at *marker*."""
        following = _NEXT.search(self.source, marker + 3)
        end = following.start() + 1 if following else len(self.source)
        return StreamPart(marker + 3, end, marker + 3)

    def parts(self) -> Iterator[StreamPart]:
        """Yield every document; what has no marker and no content counts as one."""
        is_any = False
        for part in self._parts(len(self.source)):
            is_any = True
            yield part
        if not is_any:
            yield StreamPart(self.bom, len(self.source), self.bom)

    def _parts(self, limit: int) -> Iterator[StreamPart]:
        """Yield the documents that begin before *limit*."""
        source = self.source
        if not self.has_markers:
            return
        start = self.bom
        is_marked = False
        first = _FIRST.match(source, 0, limit)
        for marker in chain([first] if first else [], _MARKER.finditer(source, 0, limit)):
            if is_marked or _CONTENT.search(source, start, marker.start(1)):
                yield StreamPart(start, marker.start(1), start)
            is_marked, start = marker[1] == b"---", marker.end()
        if is_marked or _CONTENT.search(source, start, limit):
            yield StreamPart(start, limit, start)
