"""Verb frames: how each change is put into words, and the operation it means.

A pattern is a row of symbols. Lower-case words match themselves (`a|b` either, `turn-on` two words
in a row, `x?` optional), upper-case names are word classes from `CLASSES` or chart categories with
the role they fill (`NPLIST:target`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from redline.instruct.grammar.tables import additions, changes, facts, structure
from redline.instruct.language.word_classes import CLASSES

PhraseTable = Mapping[str, tuple[tuple[str, ...], ...]]


class FrameSymbol(NamedTuple):
    """One step of a pattern: alternatives of words, or a category with its role."""

    words: PhraseTable = {}  # noqa: RUF012 - never written to
    category: str = ""
    role: str = ""
    optional: bool = False


class Frame(NamedTuple):
    """One way to say an operation; `cost` is paid where it says less than others."""

    effect: str
    symbols: tuple[FrameSymbol, ...]
    cost: int = 0
    extra: str = ""


def _symbols(text: str) -> Iterator[FrameSymbol]:
    for part in text.split():
        optional = part.endswith("?") and len(part) > 1
        part = part.removesuffix("?") if optional else part
        name, _, role = part.partition(":")
        if role and name.isupper():
            yield FrameSymbol({}, name, role, optional)
            continue
        words: list[tuple[str, ...]] = []
        for word in part.split("|"):
            if word in CLASSES:
                words += [_words(w) for w in CLASSES[word].split()]
            elif word.isupper() and len(word) > 2:
                yield FrameSymbol({}, word, "", optional)
                break
            else:
                words.append(_words(word))
        else:
            yield FrameSymbol(phrase_table(words), optional=optional)


def phrase_table(phrases: Iterable[tuple[str, ...]]) -> PhraseTable:
    """Return phrases by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for words in phrases:
        found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(rest, key=len, reverse=True)) for first, rest in found.items()}


def _words(text: str) -> tuple[str, ...]:
    if len(text) < 3 or "-" not in text or text == "top-level":
        return (text,)
    return tuple(text.split("-"))


def _frames() -> Iterator[Frame]:
    tables = (changes.TABLE, additions.TABLE, structure.TABLE, facts.TABLE)
    for line in (row for table in tables for row in table.strip().splitlines()):
        name, _, pattern = line.partition(" ")
        name, _, cost = name.partition("+")
        effect, _, extra = name.partition("=")
        yield Frame(effect, tuple(_symbols(pattern)), int(cost or 0), extra)


FRAMES = tuple(_frames())


def first_words(frame: Frame) -> frozenset[str] | None:
    """Return the words a frame can begin with; None when it begins with a phrase."""
    found: set[str] = set()
    for symbol in frame.symbols:
        if symbol.category:
            return None if not found or symbol.optional else frozenset(found)
        found |= set(symbol.words)
        if not symbol.optional:
            return frozenset(found)
    return frozenset(found)


GAP_FRAMES: dict[str, tuple[Frame, ...]] = {
    effect: tuple(Frame(effect, tuple(_symbols(pattern)), place) for place, pattern in
                  enumerate(patterns))
    for effect, patterns in changes.GAPS.items()
}  # fmt: skip
BY_WORD: dict[str, list[Frame]] = {}
OPEN: list[Frame] = []
for _frame in FRAMES:
    _firsts = first_words(_frame)
    if _firsts is None:
        OPEN.append(_frame)
    else:
        for _word in _firsts:
            BY_WORD.setdefault(_word, []).append(_frame)
# Words with which an instruction can begin, articles, pronouns and prepositions aside.
VERBS = frozenset(BY_WORD) - frozenset(
    "the a an i we value id my they there we've i've they've for in on under it one another same "
    "there's i'm we'll".split()
)
