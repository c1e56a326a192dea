"""The chart: for each category and start token, every reading found there, packed by meaning."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from redline.instruct.language.tokens import Tokens, text_of
from redline.instruct.lexicon.names import Lexicon
from redline.instruct.lexicon.tree import DocumentTree

MAX_EDGES = 40


class Edge(NamedTuple):
    """One reading of the tokens from a start up to *end*."""

    end: int
    item: Any


Rule = Callable[["Chart", int], Iterable[Edge]]
RULES: dict[str, list[Rule]] = {}


def rule(category: str) -> Callable[[Rule], Rule]:
    """Register a function that finds edges of *category* at a token."""

    def register(function: Rule) -> Rule:
        RULES.setdefault(category, []).append(function)
        return function

    return register


class Chart:
    """The cells filled so far for one instruction; each is computed once."""

    def __init__(self, lexicon: Lexicon, made: tuple[int, ...] = ()) -> None:
        self.lexicon = lexicon
        self.made = made  # what the step before has added, renamed or moved
        self.tree: DocumentTree = lexicon.tree
        self.tokens: Tokens = lexicon.tokens
        self.source = lexicon.source
        self.lows = [token.low for token in self.tokens]
        for place, token in enumerate(self.tokens):
            if place and token.text == "A" and ("A" in self.tree.by_key or "A" in self.tree.values):
                self.lows[place] = "A"  # a grade or a kind of record, not an article
        self.size = len(self.tokens)
        self.typed_values: dict[Hashable, tuple[Any, str]] = {}
        self._cells: dict[tuple[str, int], list[Edge]] = {}

    def edges(self, category: str, start: int) -> list[Edge]:
        """Return every edge of *category* at *start*, the cheapest of each meaning."""
        known = self._cells.get((category, start))
        if known is not None:
            return known
        self._cells[category, start] = []  # no category begins with itself
        self.tree.spend(20)
        best: dict[tuple[int, Hashable], Edge] = {}
        for edge in chain.from_iterable(find(self, start) for find in RULES[category]):
            key = (edge.end, edge.item.meaning)
            other = best.get(key)
            if other is None or edge.item.cost < other.item.cost:
                best[key] = edge
        found = sorted(best.values(), key=lambda edge: (edge.item.cost, -edge.end))
        self.tree.spend(10 * len(found))
        self._cells[category, start] = found[:MAX_EDGES]
        return self._cells[category, start]

    def low(self, place: int) -> str:
        """Return the token at *place* in lower case, or an empty text beyond the end."""
        return self.lows[place] if 0 <= place < self.size else ""

    def words(self, start: int, phrase: tuple[str, ...]) -> int:
        """Return where *phrase* ends when it begins at *start*, else -1."""
        end = start + len(phrase)
        return end if tuple(self.lows[start:end]) == phrase else -1

    def phrases(
        self, start: int, table: Mapping[str, tuple[tuple[str, ...], ...]]
    ) -> Iterator[int]:
        """Yield where the phrases of *table* that begin at *start* end."""
        if start >= self.size:
            return
        for phrase in table.get(self.lows[start], ()):
            end = start + len(phrase)
            if len(phrase) == 1 or tuple(self.lows[start:end]) == phrase:
                yield end

    def text(self, start: int, end: int) -> str:
        """Return the instruction's text between two tokens."""
        return text_of(self.tokens[start:end], self.source)
