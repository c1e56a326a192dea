"""Split a C file into chunks of a few declarations and parse only those that contain a name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise

from redline.code.syntax.c_preprocessor import resolve_conditionals
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.macros import without_texts
from redline.code.syntax.node import Span, SyntaxNode
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_IDENTIFIERS = ("identifier", "field_identifier", "type_identifier", "statement_identifier")
# The end of a function or struct: a brace that begins a line, outside of a multi-line macro.
_BODY_END = re.compile(r"^\}(?:.*[^\\\n])?\n", re.MULTILINE)
# The end of a declaration that an empty line separates from the next.
_DECLARATION_GAP = re.compile(r";[ \t]*\n[ \t]*\n(?=[A-Za-z_])(?!case\b|\w+[ \t]*:)")
_MAX_UNSPLIT = 6_000
# How many neighbouring chunks are joined at most to balance braces.
_MAX_JOINED = 6
_LINKAGE = re.compile(r'extern[ \t\n]+"C"[ \t\n]*\{')
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)


@dataclass(eq=False)
class Chunk:
    """A parsed span of a file; node offsets count from the chunk's beginning."""

    file: CFile
    start: int
    text: str
    raw: SyntaxNode
    # Names that blocks declare, by the span of the block.
    blocks: dict[Span, dict[str, list[SyntaxNode]]] = field(default_factory=dict)

    @cached_property
    def line(self) -> int:
        """Count the lines of the file before the chunk."""
        return self.file.text.count("\n", 0, self.start)

    def line_of(self, node: SyntaxNode) -> int:
        """Return the 1-based line of the file where a node begins."""
        return self.line + node.range().start.line + 1

    @cached_property
    def root(self) -> SyntaxNode:
        """Return the tree, with preprocessor conditionals resolved if they keep it from parsing."""
        if self.raw.find(kind="ERROR") is None:
            return self.raw
        plain = resolve_conditionals(self.text)
        return self.file.parse(plain) if plain != self.text else self.raw

    @cached_property
    def words(self) -> dict[str, list[SyntaxNode]]:
        """Index the identifier nodes of the tree by text, in order."""
        return _index_words(self.root)

    def hidden_nodes(self, name: str) -> list[SyntaxNode]:
        """Return the nodes of *name* that resolving the conditionals removed."""
        if self.root is self.raw:
            return []
        seen = {node.range().start.index for node in self.words.get(name, ())}
        found = _index_words(self.raw).get(name, ())
        return [node for node in found if node.range().start.index not in seen]


@dataclass(eq=False)
class CFile:
    """A file; *take* reports whether that many more characters may be parsed."""

    path: WorkspacePath
    text: str
    take: Callable[[int], bool]
    _chunks: dict[Span, Chunk | None] = field(default_factory=dict)
    _spans: dict[int, Span] = field(default_factory=dict)
    _spans_with: dict[str, list[Span]] = field(default_factory=dict)

    @property
    def is_header(self) -> bool:
        """Return whether other files see what it declares."""
        return not self.path.name.endswith(".c")

    @cached_property
    def includes(self) -> set[str]:
        """Return the paths it includes, as written but without leading dots."""
        return {found.lstrip("./") for found in _INCLUDE.findall(self.text)}

    def parse(self, text: str) -> SyntaxNode:
        """Parse a span of the file."""
        language = language_of(self.path.name)
        assert language is not None
        root: SyntaxNode = parse(text, language).root
        return root

    def nodes(self, name: str) -> Iterator[tuple[Chunk, SyntaxNode]]:
        """Yield every node with the text *name* and its chunk, in order."""
        for _, chunk in self.chunks_with(name):
            if chunk is not None:
                for node in chunk.words.get(name, ()):
                    yield chunk, node

    def chunks_with(self, name: str) -> Iterator[tuple[Span, Chunk | None]]:
        """Yield the spans that contain *name* with their chunks; None if over the parse budget."""
        if name not in self._spans_with:
            self._spans_with[name] = list(
                dict.fromkeys(map(self._span, find_word(self.text, name)))
            )
        for span in self._spans_with[name]:
            if span not in self._chunks:
                self._chunks[span] = self._parse_chunk(*span)
            yield span, self._chunks[span]

    def line_at(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return self.text.count("\n", 0, offset) + 1

    @cached_property
    def _cuts(self) -> list[int]:
        """Return the offsets where chunks begin, and the end of the last one."""
        ends = [0, *(found.end() for found in _BODY_END.finditer(self.text)), len(self.text)]
        cuts = [0]
        for first, last in pairwise(ends):
            if last - first > _MAX_UNSPLIT:
                cuts += [found.end() for found in _DECLARATION_GAP.finditer(self.text, first, last)]
            cuts.append(last)
        return sorted(set(cuts))

    def _span(self, offset: int) -> Span:
        """Return the span around an offset, extended until its braces balance."""
        at = min(bisect_right(self._cuts, offset), len(self._cuts) - 1) - 1
        if at not in self._spans:
            first, last = self._balance(at)
            for nth in range(first, last):
                self._spans.setdefault(nth, Span(self._cuts[first], self._cuts[last]))
        return self._spans[at]

    def _balance(self, at: int) -> tuple[int, int]:
        first, last = at, at + 1
        for _ in range(_MAX_JOINED):
            depth = _count_open(self.text[self._cuts[first] : self._cuts[last]])
            if depth > 0 and last < len(self._cuts) - 1:
                last += 1
            elif depth < 0 and first > 0:
                first -= 1
            else:
                return first, last
        return at, at + 1

    def _parse_chunk(self, start: int, end: int) -> Chunk | None:
        if not self.take(end - start):
            return None
        text = _balance_conditionals(self.text[start:end])
        return Chunk(self, start, text, self.parse(text))


def find_word(text: str, name: str) -> Iterator[int]:
    """Yield the offsets of *name* as a whole word; `find` is many times faster than a regex."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            yield at
        at = text.find(name, end)


def _index_words(root: SyntaxNode) -> dict[str, list[SyntaxNode]]:
    found: dict[str, list[SyntaxNode]] = {}
    for node in root.find_all(any=[{"kind": kind} for kind in _IDENTIFIERS]):
        found.setdefault(node.text(), []).append(node)
    return found


def _count_open(text: str) -> int:
    """Count the braces and comments that a span leaves open; negative if it closes more."""
    plain = without_texts(text)
    cut = plain.count("/*") - plain.count("*/")
    return plain.count("{") - plain.count("}") - len(_LINKAGE.findall(text)) + cut


def _balance_conditionals(text: str) -> str:
    """Balance the conditionals of a span in place; missing `#endif`s are appended."""
    depth = 0
    edits: list[tuple[int, int, str]] = []
    for found in _CONDITION.finditer(text):
        if found[1].startswith("if"):
            depth += 1
        elif found[1] == "endif" and depth:
            depth -= 1
        elif found[1] == "elif" and not depth:
            edits.append((*found.span(1), "if  "))
            depth += 1
        elif not depth:
            edits.append((*found.span(), " " * len(found[0])))
    for first, last, fresh in reversed(edits):
        text = text[:first] + fresh + text[last:]
    return text + "\n#endif" * depth
