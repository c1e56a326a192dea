"""A large TOML document read in parts, so that its data never stands in memory at once.

The parts say what the whole says: TOML carries no lexical state from one statement to the next, the
headers that are open where a part begins are read again in front of it, and no two parts may claim
the same name. Whatever does not fit is left to whoever can read the document whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.core.splice import Splice
from redline.documents.path import Path, Segment
from redline.documents.toml_claims import Claims
from redline.documents.toml_holes import Hole, Overlap, excerpt, hole_around, holes_at
from redline.documents.toml_index import TomlIndex
from redline.documents.toml_read import NATIVE_DEPTH, Intent, as_spelled, is_as_meant, read
from redline.documents.toml_removal import is_removal, removal_agrees
from redline.documents.toml_scan import read_header, read_statements
from redline.documents.toml_walk import (
    ROOT,
    TOP,
    Header,
    Open,
    Stretch,
    Walk,
    header_of,
    headers_of,
    items_of,
)

# What shows that the parts cannot stand for the whole, or not with this edit.
_DISAGREE = (
    DocumentSyntax,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    Overlap,
    UnicodeDecodeError,
)


class Parts:
    """The parts of a document: each valid alone (`are_read`), and all together (`are_valid`)."""

    def __init__(self, index: TomlIndex, part: int, *, brief: bool) -> None:
        self.index = index
        self.brief = brief
        self._native = index.depth <= NATIVE_DEPTH
        self._part = part
        self.holes: list[Hole] = []
        self.bounds = _bounds(index, part)
        self.contexts: list[tuple[Header, ...]] = [()]
        self.claims = Claims()
        # For each part: how many items its arrays of tables have in the parts before.
        self.before: list[dict[int, int]] = []
        try:
            self.are_read = self._read()
        except _DISAGREE:
            self.are_read = False
        self.are_valid = self.are_read and self.claims.are_distinct()

    def agree(self, splices: Sequence[Splice], intent: Intent) -> bool:
        """Whether the parts that change are changed as meant, and the others not at all."""
        try:
            return self._agree(splices, intent)
        except _DISAGREE:
            return False

    def _read(self) -> bool:
        index, counts, opened = self.index, dict[int, int](), Open(())
        for part, (start, stop) in enumerate(pairwise(self.bounds)):
            self.holes += self._large_values(start, stop)
            inner = headers_of(index, start, stop, is_top=not part)
            for header in inner:
                opened.enter(header)
            self.contexts.append(self.context_at(stop, opened))
            walk = self._walk((part, part + 1), inner, self.load(part, part + 1), counts)
            self.claims.add(walk.claims)
            repeated = items_of(self.contexts[part])
            before = {
                path: counts[path] - (path in repeated) for path in walk.arrays if path in counts
            }
            self.before.append(before)
            counts = {path: before.get(path, 0) + n for path, n in walk.arrays.items()}
        return all(hole.is_valid() for hole in self.holes)

    def context_at(self, bound: int, opened: Open) -> tuple[Header, ...]:
        index = self.index
        if bound == len(index.source):
            return ()
        section = bisect_left(index.starts, bound)
        if section < len(index.starts) and index.starts[section] == bound:
            return opened.before(header_of(index, section))
        return opened.inside()

    def _walk(
        self,
        parts: tuple[int, int],
        inner: tuple[Header, ...],
        data: Any,
        continued: Collection[int],
    ) -> Walk:
        first, last = parts
        stretch = Stretch(
            self.index,
            (self.bounds[first], self.bounds[last]),
            self.contexts[first],
            inner,
            self.contexts[last],
            (self.is_split(first), self.is_split(last)),
            self._ahead(last),
        )
        return Walk(stretch, data, continued, brief=self.brief)

    def walk_again(self, first: int, last: int, data: Any) -> Walk:
        start, stop = self.bounds[first], self.bounds[last]
        inner = headers_of(self.index, start, stop, is_top=not first)
        return self._walk((first, last), inner, data, self.before[first])

    def _ahead(self, bound: int) -> tuple[str, ...]:
        """The names of the section that a bound begins or lies in."""
        section = self.index.section_at(self.bounds[bound])
        at_end = bound == len(self.bounds) - 1
        return () if at_end or section < 0 else self.index.names(section)

    def is_split(self, bound: int) -> bool:
        """Whether a section goes on at a bound."""
        at, starts = self.bounds[bound], self.index.starts
        section = bisect_left(starts, at)
        if at in (0, len(self.index.source)):
            return False
        return section == len(starts) or starts[section] != at

    def _large_values(self, start: int, stop: int) -> list[Hole]:
        """The large values of a part: they are at its end, for it is cut where it can be."""
        index = self.index
        for offsets in (index.starts, index.runs):
            last = bisect_left(offsets, stop) - 1
            start = max(start, offsets[last]) if last >= 0 else start
        if stop - start < self._part:
            return []
        section = index.section_at(start)
        if section >= 0 and index.starts[section] == start:
            start = index.body(section)
        holes: list[Hole] = []
        for statement in read_statements(index.source, max(start, index.bom), stop):
            span = statement.value, statement.end
            holes += holes_at(index.source, span, self._part, native=self._native)
        return holes

    def load(self, first: int, last: int) -> Any:
        span = self.bounds[first], self.bounds[last]
        text = excerpt(self.index.source, span, self.holes)
        return read(self.repeated(first) + text, as_spelled, native=self._native)

    def repeated(self, part: int) -> bytes:
        """The headers that are open where a part begins."""
        source = self.index.source
        headers = [h.at for h in self.contexts[part] if h.names]
        return b"".join(source[at : read_header(source, at)[2]] + b"\n" for at in headers)

    def _agree(self, splices: Sequence[Splice], intent: Intent) -> bool:
        hole = hole_around(self.holes, splices)
        if hole is not None:
            part = bisect_left(self.bounds, hole.start + 1) - 1
            path = hole.path_within(self.load(part, part + 1), self._local(intent.path, part))
            return path is not None and hole.agrees(
                splices, Intent(intent.action, path, intent.fragment)
            )
        # A part keeps its first byte: what is put before it is read with the part before.
        first = max(bisect_left(self.bounds, min(s.start for s in splices)) - 1, 0)
        last = max(bisect_left(self.bounds, max(s.end for s in splices)), first + 1)
        if is_removal(splices, intent):
            return removal_agrees(self, splices, intent.path, (first, last))
        expected = self.load(first, last)
        old = self.walk_again(first, last, expected)
        text = excerpt(
            self.index.source, (self.bounds[first], self.bounds[last]), self.holes, splices
        )
        changed = self._changed(first, last, text)
        if changed is None:
            return False
        native = changed.index.depth <= NATIVE_DEPTH
        actual = read(self.repeated(first) + text, as_spelled, native=native)
        new = Walk(changed, actual, self.before[first], brief=self.brief)
        if self.claims.meets(new.claims.without(old.claims)):
            return False
        if intent.action != "insert" and self._is_held_elsewhere(intent.path, first, last, old):
            return False
        local = Intent(intent.action, self._local(intent.path, first), intent.fragment)
        return is_as_meant(expected, actual, local)

    def _changed(self, first: int, last: int, text: bytes) -> Stretch | None:
        """The stretch that *text* is in place of parts; None if it changes what follows means."""
        at_end = last == len(self.contexts) - 1
        if not at_end and not text.rstrip(b" \t").endswith(b"\n"):
            return None
        if first and text.startswith(b"\xef\xbb\xbf"):
            return None
        index, opened = TomlIndex(text), Open(self.contexts[first])
        inner = [
            header._replace(at=-2 - number)
            for number, header in enumerate(headers_of(index, 0, len(text), is_top=not first))
        ]
        for header in inner:
            opened.enter(header)
        following = self.contexts[last]
        reached = () if at_end else self.context_at(self.bounds[last], opened)
        if [header[:2] for header in reached] != [header[:2] for header in following]:
            return None
        known = {new.at: old.at for new, old in zip(reached, following, strict=True)}
        if any(new != old for new, old in known.items() if new >= TOP.at):
            return None
        inner = [header._replace(at=known.get(header.at, header.at)) for header in inner]
        return Stretch(
            index,
            (0, len(text)),
            self.contexts[first],
            tuple(inner),
            following,
            (self.is_split(first), self.is_split(last)),
            self._ahead(last),
        )

    def _local(self, path: Path, part: int) -> Path:
        """*path* with the indexes that it has in a part; LookupError if it leads elsewhere."""
        before, items = self.before[part], items_of(self.contexts[part])
        found: list[Segment] = []
        key: int | None = ROOT
        for segment in path:
            if isinstance(segment, str):
                key = None if key is None else hash((key, segment))
            else:
                segment -= 0 if key is None else before.get(key, 0)
                if segment < 0:
                    raise IndexError(segment)
                key = hash((key, items[key])) if key in items and not segment else None
            found.append(segment)
        return tuple(found)

    def _is_held_elsewhere(self, path: Path, first: int, last: int, old: Walk) -> bool:
        """Whether parts other than those from *first* to *last* have something at *path* too."""
        before, after = self.before[first], self.before[last : last + 1]
        starting, ending = items_of(self.contexts[first]), items_of(self.contexts[last])
        key = ROOT
        for segment in path:
            if isinstance(segment, str):
                key = hash((key, segment))
                continue
            count = old.arrays.get(key, 0)
            local = segment - before.get(key, 0)
            if key in starting and not local:
                key = hash((key, starting[key]))
            elif key in ending and local == count - 1:
                key = hash((key, ending[key]))
            else:
                return False
        if not isinstance(path[-1], str):
            return True
        if key in old.arrays:
            return key in before or any(key in part for part in after)
        claims = [old.claims]
        if last > first + 1:
            parts = range(first, last)
            claims = [self.walk_again(p, p + 1, self.load(p, p + 1)).claims for p in parts]
        return self.claims.count(key) != sum(part.count(key) for part in claims)


def parts_of(index: TomlIndex, part: int) -> Parts | None:
    """The parts that can stand for the whole document, or None; of more than *part* bytes each."""
    for brief in (True, False):
        parts = Parts(index, part, brief=brief)
        if parts.are_valid:
            return parts
        if not parts.are_read:
            return None
    return None


def _bounds(index: TomlIndex, part: int) -> list[int]:
    """Where the file is cut: at headers, and at statements of long sections."""
    bounds = [0]
    while True:
        wanted = bounds[-1] + part
        following: list[int] = []
        for offsets in (index.starts, index.runs):
            following += offsets[bisect_left(offsets, wanted) :][:1]
        if not following:
            return [*bounds, len(index.source)]
        bounds.append(min(following))
