"""A text to search in, with its lines, offsets and match keys computed once, on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from redline.core.textfile import dominant_end, split_lines, unify_ends
from redline.plan.match.placement import MatchLevel
from redline.plan.match.typography import fold

_BLANKS = " \t"
KEYS: Mapping[MatchLevel, Callable[[str], str]] = {
    MatchLevel.LITERAL: str,
    MatchLevel.TRAILING: lambda body: body.rstrip(_BLANKS),
    MatchLevel.INDENT: lambda body: body.strip(_BLANKS),
    MatchLevel.TYPOGRAPHY: lambda body: fold(body).rstrip(_BLANKS),
    MatchLevel.TYPOGRAPHY_INDENT: lambda body: fold(body).strip(_BLANKS),
}


class KeyLines(NamedTuple):
    """The lines of a text as one level compares them, and the line numbers of each key."""

    keys: Sequence[str]
    places: Mapping[str, Sequence[int]]


class SearchedText:
    """A text to search in.

    With *is_indexed*, matchers look lines up by key instead of scanning the text, which pays when
    many blocks are searched for.
    """

    def __init__(self, text: str, *, is_indexed: bool = False) -> None:
        self.text = text
        self.is_indexed = is_indexed
        self._by_level: dict[MatchLevel, KeyLines] = {}

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return split_lines(self.text)

    @cached_property
    def bodies(self) -> Sequence[str]:
        """The lines without their ends."""
        bodies = unify_ends(self.text).split("\n")
        return bodies if bodies[-1] else bodies[:-1]

    @cached_property
    def offsets(self) -> Sequence[int]:
        """The offset at which each line starts, and the length of the text."""
        return [0, *accumulate(map(len, self.lines))]

    @cached_property
    def line_count(self) -> int:
        """How many lines there are."""
        return self.text.count("\n") + (self.text[-1:] not in ("", "\n"))

    @cached_property
    def line_end(self) -> str:
        """The most frequent line ending; a line feed in a text without one."""
        return dominant_end(self.text) or "\n"

    @cached_property
    def is_ascii(self) -> bool:
        """Whether every character is ASCII."""
        return self.text.isascii()

    @cached_property
    def folded_text(self) -> str:
        """The text with typographic characters replaced by their ASCII look-alikes."""
        return fold(self.text)

    @cached_property
    def stripped_lines(self) -> KeyLines:
        """The lines without any white space around them."""
        return _key_lines([body.strip() for body in self.bodies])

    def at_level(self, level: MatchLevel) -> KeyLines:
        """Return the lines as *level* compares them."""
        if level not in self._by_level:
            self._by_level[level] = _key_lines(list(map(KEYS[level], self.bodies)))
        return self._by_level[level]


def prepare_search(text: str | SearchedText) -> SearchedText:
    """Wrap *text* for one search, unless it is wrapped already."""
    return text if isinstance(text, SearchedText) else SearchedText(text)


def _key_lines(keys: Sequence[str]) -> KeyLines:
    places: dict[str, list[int]] = {}
    for line, key in enumerate(keys):
        places.setdefault(key, []).append(line)
    return KeyLines(keys, places)
