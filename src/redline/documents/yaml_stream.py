"""The documents of a YAML stream, found by their markers; no list of them is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from redline.documents.possessive import compiled

_MARKER = re.compile(rb"(?:^|(?<=\A\xef\xbb\xbf))(---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_DASHES = re.compile(rb"\n---(?=[ \t\r\n]|\Z)")
_CONTENT = re.compile(rb"^(?![ \t]*(?:#|\r?$)|%)[ \t]*[^ \t\r\n]", re.MULTILINE)
_DIRECTIVE = re.compile(rb"^%", re.MULTILINE)
# What may follow an end marker while every document still begins with `---`.
_DOTS = re.compile(rb"^\.\.\.(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BETWEEN = compiled(
    rb"[ \t]*+(?:#[^\n]*+)?+\r?+(?:\n[ \t]*+(?:#[^\n]*+)?+\r?+(?=\n|\Z))*+"
    rb"(?:\Z|\n(?:---|\.\.\.)(?=[ \t\r\n]|\Z))"
)
# So much text is looked at in one go when only the number of documents matters.
_WINDOW = 1 << 15


@dataclass(frozen=True, slots=True)
class Part:
    """One document: where its content may stand, the offset behind `---`, where its text begins.

    `head` is the offset of its marker, or of the directives above it when `is_directed`.
    """

    start: int
    end: int
    slot: int
    is_marked: bool
    head: int = 0
    is_directed: bool = False


class Stream:
    """The documents of one stream, in order."""

    def __init__(self, source: bytes, bom: int = 0) -> None:
        self.source = source
        self.bom = bom

    @cached_property
    def _has_markers(self) -> bool:
        source = self.source
        return source.startswith(b"---", self.bom) or b"\n---" in source or b"..." in source

    @cached_property
    def has_directives(self) -> bool:
        """Whether a line may be a directive."""
        return self.source.startswith(b"%", self.bom) or b"\n%" in self.source

    @cached_property
    def is_uniform(self) -> bool:
        """Whether each document but the first begins with `---`, and none has directives."""
        if self.has_directives:
            return False
        if b"\n..." not in self.source and not self.source.startswith(b"...", self.bom):
            return True
        dots = _DOTS.finditer(self.source, self.bom)
        return all(_BETWEEN.match(self.source, found.end()) for found in dots)

    @cached_property
    def count(self) -> int:
        """How many documents there are; nothing at all counts as one."""
        if not self.is_uniform:
            return sum(1 for _ in self.parts())
        return len(self._lead) + sum(count for _, _, count in self._windows())

    @cached_property
    def _lead(self) -> list[Part]:
        """The documents above the first marker that follows a line break."""
        first = _DASHES.search(self.source, self.bom)
        return list(self._parts(first.start() + 1) if first else self.parts())

    def _windows(self) -> Iterator[tuple[int, int, int]]:
        """From the first marker on: `start, end, how many markers`."""
        first = _DASHES.search(self.source, self.bom)
        start = first.start() if first else len(self.source)
        while start < len(self.source):
            following = _DASHES.search(self.source, start + _WINDOW)
            end = following.start() if following else len(self.source)
            yield start, end, len(_DASHES.findall(self.source, start, end))
            start = end

    def part(self, index: int) -> Part:
        """The document at *index*, from 0."""
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

    def part_at(self, marker: int) -> Part:
        """The document whose `---` stands at *marker*."""
        following = _MARKER.search(self.source, marker + 3)
        end = following.start() if following else len(self.source)
        return Part(marker + 3, end, marker + 3, is_marked=True, head=marker)

    def parts(self) -> Iterator[Part]:
        """Every document; what has no marker and no content counts as one."""
        is_any = False
        for part in self._parts(len(self.source)):
            is_any = True
            yield part
        if not is_any:
            yield Part(self.bom, len(self.source), self.bom, is_marked=False, head=self.bom)

    def _parts(self, limit: int) -> Iterator[Part]:
        """The documents that begin before *limit*."""
        source = self.source
        if not self._has_markers:
            return
        start = head = self.bom
        is_marked = is_directed = False
        for marker in _MARKER.finditer(source, 0, limit):
            is_closed = is_marked or _CONTENT.search(source, start, marker.start()) is not None
            if is_closed:
                yield Part(start, marker.start(), start, is_marked, head, is_directed)
            begins = marker[1] == b"---"
            is_directed = begins and not is_closed and self._is_directed(start, marker.start())
            head = self._line_after(start) if is_directed else marker.start()
            is_marked, start = begins, marker.end()
        if is_marked or _CONTENT.search(source, start, limit):
            yield Part(start, limit, start, is_marked, head, is_directed)

    def _is_directed(self, start: int, end: int) -> bool:
        return self.has_directives and _DIRECTIVE.search(self.source, start, end) is not None

    def _line_after(self, at: int) -> int:
        return self.source.find(b"\n", at) + 1 if at > self.bom else at
