"""The runs of words of an instruction, and the scalars of the document that they say."""

from __future__ import annotations

from redline.instruct.language.tokens import Tokens
from redline.instruct.language.words import ARTICLES, QUANTIFIERS, SCOPING, singular
from redline.instruct.lexicon.tree import DocumentTree
from redline.instruct.model.values import Num

MAX_WORDS = 6
_MAX_LABEL = 60
STOP_WORDS = (
    ARTICLES
    | QUANTIFIERS
    | SCOPING
    | frozenset(
        "and or to be is are was not by with as it its than then into so if no yes new add set "
        "remove delete change update make all".split()
    )
)


class WordRuns:
    """Every run of words; `whole` and `parts` have the scalars each says, or says a part of."""

    def __init__(self, tree: DocumentTree, tokens: Tokens, source: str) -> None:
        self.tree = tree
        self.tokens = tokens
        self.source = source
        self._texts = self._find_runs()
        self.whole: dict[tuple[int, int], list[int]] = {}
        self.parts: dict[tuple[int, int], list[int]] = {}
        self._find_values()

    def is_run(self, start: int, end: int) -> bool:
        """Return whether the tokens are one run: words, or one quoted text."""
        last = self.tokens[end - 1]
        if last.kind in ("quoted", "code") or self.tokens[start].kind in ("quoted", "code"):
            return end == start + 1
        return last.kind in ("word", "poss") or last.text in ("&", "-")

    def _find_runs(self) -> dict[str, list[tuple[int, int, bool]]]:
        """Return the text of every run of words, in lower case, and of its singular."""
        found: dict[str, list[tuple[int, int, bool]]] = {}
        for start, token in enumerate(self.tokens):
            if not token.is_name:
                continue
            for end in range(start + 1, min(start + MAX_WORDS, len(self.tokens)) + 1):
                if not self.is_run(start, end):
                    break
                if self.tokens[end - 1].kind == "poss":
                    continue
                text = self.text(start, end)
                found.setdefault(text, []).append((start, end, False))
                if text.startswith("#"):
                    found.setdefault(text[1:], []).append((start, end, False))
                last = self.tokens[end - 1].low
                one = singular(last)
                if one != last and last != "\0":
                    plural = text[: len(text) - len(last)] + one
                    found.setdefault(plural, []).append((start, end, True))
        return found

    def text(self, start: int, end: int) -> str:
        """Return what the tokens say in lower case, blanks collapsed, without quotes."""
        first = self.tokens[start]
        if end == start + 1:
            return " ".join(first.text.lower().split())
        said = self.source[first.start : self.tokens[end - 1].end]
        return " ".join(said.lower().replace("\u2019", "'").split())

    def _find_values(self) -> None:
        """Look every scalar of the document up among the runs, in one pass."""
        runs, tree = self._texts, self.tree
        words = {word for text in runs for word in text.split()} - STOP_WORDS
        tree.spend(len(tree.values) // 8)
        for node, value in enumerate(tree.values):
            kind = value.__class__
            if kind is Num:
                text = value.text  # type: ignore[union-attr]
                if text in runs and self._counts(node):
                    self._note(self.whole, text, node)
                continue
            if kind is not str or not value or len(value) > _MAX_LABEL:  # type: ignore[arg-type]
                continue
            low = value.lower()  # type: ignore[union-attr]
            if low in runs:
                self._note(self.whole, low, node)
            if (" " in low or "-" in low or "_" in low or "/" in low) and not words.isdisjoint(
                low.replace("-", " ").replace("_", " ").replace("/", " ").split()
            ):
                self._note_parts(low, node)

    def _counts(self, node: int) -> bool:
        """Return whether a number names its record: an id, or an element of a plain array."""
        key = self.tree.keys[node]
        return key.__class__ is int or self.tree.identifies(node)

    def _note(self, table: dict[tuple[int, int], list[int]], text: str, node: int) -> None:
        for start, end, _ in self._texts[text]:
            nodes = table.setdefault((start, end), [])
            if not nodes or nodes[-1] != node:
                nodes.append(node)

    def _note_parts(self, low: str, node: int) -> None:
        spaced = low.replace("-", " ").replace("_", " ")
        if spaced != low and spaced in self._texts:
            self._note(self.whole, spaced, node)
            return
        bare = low.strip("/@#")
        if bare != low and bare in self._texts:
            self._note(self.whole, bare, node)  # "the health endpoint" is /health
            return
        if not self.tree.identifies(node):
            return
        parts = spaced.split()
        for start in range(len(parts)):
            for end in range(start + 1, len(parts) + 1):
                part = " ".join(parts[start:end])
                if end - start < len(parts) and part in self._texts and part not in STOP_WORDS:
                    self._note(self.parts, part, node)
