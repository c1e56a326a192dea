"""Words of one family: encryption and encrypt, translating and translator."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from redline.instruct.language.words import key_form, key_words, singular

_ENDINGS = (
    "ations", "ation", "ions", "ion", "ings", "ing", "ments", "ment", "ers", "er", "ors", "or",
    "ed", "es", "e", "s", "al", "able", "ance", "ence", "ity", "ive", "y",
)  # fmt: skip
_SHORTEST = 5


@lru_cache(maxsize=8192)
def stems_of(word: str) -> frozenset[str]:
    """Return what a word may have in common with others of its family."""
    low = singular(word.lower())
    cut = (low[: -len(ending)] for ending in _ENDINGS if low.endswith(ending))
    return frozenset(stem for stem in (low, *cut) if len(stem) >= _SHORTEST)


def related_keys(word: str, keys: Iterable[str]) -> set[str]:
    """Return the keys of one word in the family of *word*, if they are all of one form."""
    stems = stems_of(word)
    if not stems or not word.isalpha():
        return set()
    found = {
        key for key in keys
        if len(words := key_words(key)) == 1 and stems & stems_of(words[0])
    }  # fmt: skip
    return found if len({key_form(key) for key in found}) == 1 else set()
