"""A file of C in parts: a few functions or declarations each, parsed only where a word stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from redline.code.syntax.c_preprocessor import without_riddles
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.macros import without_texts
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_WORDS = ("identifier", "field_identifier", "type_identifier", "statement_identifier")
# Where a function or struct ends: a brace that opens a line which no macro goes on with.
_CLOSED = re.compile(r"^\}(?:.*[^\\\n])?\n", re.MULTILINE)
# Where one declaration ends and, after an empty line, another begins.
_GAP = re.compile(r";[ \t]*\n[ \t]*\n(?=[A-Za-z_])(?!case\b|\w+[ \t]*:)")
_LONG = 6_000
# Parts that are joined at most until their braces pair.
_JOINED = 6
_LINKAGE = re.compile(r'extern[ \t\n]+"C"[ \t\n]*\{')
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)


@dataclass(eq=False)
class Part:
    """A stretch of a file with its words; places in it count from where it begins."""

    sheet: Sheet
    start: int
    text: str
    raw: Node
    # What blocks declare, by where they begin and end.
    blocks: dict[tuple[int, int], dict[str, list[Node]]] = field(default_factory=dict)

    @cached_property
    def line(self) -> int:
        """How many lines of the file come before."""
        return self.sheet.text.count("\n", 0, self.start)

    @cached_property
    def root(self) -> Node:
        """The tree to look at: what a preprocessor would settle is settled where that hinders."""
        if self.raw.find(kind="ERROR") is None:
            return self.raw
        plain = without_riddles(self.text)
        return self.sheet.parse(plain) if plain != self.text else self.raw

    @cached_property
    def words(self) -> dict[str, list[Node]]:
        """The nodes that spell each word, in order."""
        return _words(self.root)

    def strays(self, name: str) -> list[Node]:
        """Those nodes of the text as it is that were settled away."""
        if self.root is self.raw:
            return []
        seen = {node.range().start.index for node in self.words.get(name, ())}
        found = _words(self.raw).get(name, ())
        return [node for node in found if node.range().start.index not in seen]


@dataclass(eq=False)
class Sheet:
    """A file; *take* says whether so many characters of it may be parsed."""

    path: WorkspacePath
    text: str
    take: Callable[[int], bool]
    _parts: dict[tuple[int, int], Part | None] = field(default_factory=dict)
    _spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    _spelled: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @property
    def is_header(self) -> bool:
        """Whether other files see what it declares."""
        return not self.path.name.endswith(".c")

    @cached_property
    def includes(self) -> set[str]:
        """What it includes, as spelled but without leading dots."""
        return {found.lstrip("./") for found in _INCLUDE.findall(self.text)}

    def parse(self, text: str) -> Node:
        """The tree of a stretch."""
        language = language_of(self.path.name)
        assert language is not None
        return parse(text, language).root

    def nodes(self, name: str) -> Iterator[tuple[Part, Node]]:
        """Every node that spells *name*, with its part, in order."""
        for _, part in self.parts_with(name):
            if part is not None:
                for node in part.words.get(name, ()):
                    yield part, node

    def parts_with(self, name: str) -> Iterator[tuple[tuple[int, int], Part | None]]:
        """The parts that spell *name* by where they lie; None for one that may not be parsed."""
        if name not in self._spelled:
            self._spelled[name] = list(dict.fromkeys(map(self._span, spots_of(self.text, name))))
        for span in self._spelled[name]:
            if span not in self._parts:
                self._parts[span] = self._part(*span)
            yield span, self._parts[span]

    def forget(self) -> None:
        """Part what refers to each other: the memory is free at once."""
        self._parts.clear()

    def line_at(self, offset: int) -> int:
        """The 1-based line of a place."""
        return self.text.count("\n", 0, offset) + 1

    @cached_property
    def _cuts(self) -> list[int]:
        """Where parts begin, and where the last one ends."""
        ends = [0, *(found.end() for found in _CLOSED.finditer(self.text)), len(self.text)]
        cuts = [0]
        for first, last in pairwise(ends):
            if last - first > _LONG:
                cuts += [found.end() for found in _GAP.finditer(self.text, first, last)]
            cuts.append(last)
        return sorted(set(cuts))

    def _span(self, offset: int) -> tuple[int, int]:
        """The part around a place: as many neighbours as it takes for its braces to pair."""
        at = min(bisect_right(self._cuts, offset), len(self._cuts) - 1) - 1
        if at not in self._spans:
            first, last = self._paired(at)
            for nth in range(first, last):
                self._spans.setdefault(nth, (self._cuts[first], self._cuts[last]))
        return self._spans[at]

    def _paired(self, at: int) -> tuple[int, int]:
        first, last = at, at + 1
        for _ in range(_JOINED):
            open_ = _open(self.text[self._cuts[first] : self._cuts[last]])
            if open_ > 0 and last < len(self._cuts) - 1:
                last += 1
            elif open_ < 0 and first > 0:
                first -= 1
            else:
                return first, last
        return at, at + 1

    def _part(self, start: int, end: int) -> Part | None:
        if not self.take(end - start):
            return None
        text = _conditioned(self.text[start:end])
        return Part(self, start, text, self.parse(text))


def spots_of(text: str, name: str) -> Iterator[int]:
    """Where *name* stands as a whole word; `find` is many times faster than a pattern."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield at
        at = text.find(name, end)


def _words(root: Node) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in root.find_all(any=[{"kind": kind} for kind in _WORDS]):
        found.setdefault(node.text(), []).append(node)
    return found


def _open(text: str) -> int:
    """How many braces and comments a stretch leaves open; less than none where it closes more."""
    plain = without_texts(text)
    cut = plain.count("/*") - plain.count("*/")
    return plain.count("{") - plain.count("}") - len(_LINKAGE.findall(text)) + cut


def _conditioned(text: str) -> str:
    """A stretch whose conditions are whole: its length and lines stay, ends are added."""
    open_ = 0
    edits: list[tuple[int, int, str]] = []
    for found in _CONDITION.finditer(text):
        if found[1].startswith("if"):
            open_ += 1
        elif found[1] == "endif" and open_:
            open_ -= 1
        elif found[1] == "elif" and not open_:
            edits.append((*found.span(1), "if  "))
            open_ += 1
        elif not open_:
            edits.append((*found.span(), " " * len(found[0])))
    for first, last, fresh in reversed(edits):
        text = text[:first] + fresh + text[last:]
    return text + "\n#endif" * open_
