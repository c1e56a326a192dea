"""Wordings as data: patterns of words and slots, and how a clause is matched against them.

A wording is written `set|change {T} to|= {V}`: words with alternatives, (optional) words, and
slots in braces. `turn_on` is two words. A slot takes one or more tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from redline.instruct.sentence import Sentence

Span = tuple[int, int]
Slots = dict[str, Span]


class FormWord(NamedTuple):
    """One of several words."""

    words: frozenset[str]


class FormSlot(NamedTuple):
    """A run of tokens for the part of that name."""

    name: str


Element = FormWord | FormSlot
Pattern = tuple[Element, ...]


@lru_cache(maxsize=2048)
def patterns(wording: str) -> tuple[Pattern, ...]:
    """Return the patterns of a wording, one for each choice of its optional words."""
    found: list[tuple[Element, ...]] = [()]
    for part in wording.split():
        if part.startswith("(") and part != "(":
            inner = _elements(part[1:-1])
            found = [p + extra for p in found for extra in (inner, ())]
        else:
            found = [p + _elements(part) for p in found]
    return tuple(found)


def _elements(part: str) -> tuple[Element, ...]:
    if part.startswith("{"):
        return (FormSlot(part[1:-1]),)
    if "_" in part and "|" not in part:
        return tuple(FormWord(frozenset((word,))) for word in part.split("_"))
    return (FormWord(frozenset(part.split("|"))),)


def match(s: Sentence, pattern: Pattern, i: int, j: int) -> Iterator[Slots]:
    """Yield the slots of each way in which the tokens i .. j - 1 are that pattern."""
    if not pattern:
        if i == j:
            yield {}
        return
    first, rest = pattern[0], pattern[1:]
    if i >= j:
        return
    if isinstance(first, FormWord):
        if s.tokens[i].low in first.words:
            yield from match(s, rest, i + 1, j)
    elif not rest:
        yield {first.name: (i, j)}
    else:
        yield from _match_slot(s, first, rest, i, j)


def _match_slot(s: Sentence, slot: FormSlot, rest: Pattern, i: int, j: int) -> Iterator[Slots]:
    following = rest[0]
    s.tree.spend(1 + (j - i) // 4)
    for k in range(i + 1, j):
        if isinstance(following, FormWord) and s.tokens[k].low not in following.words:
            continue
        for slots in match(s, rest, k, j):
            yield {slot.name: (i, k), **slots}
