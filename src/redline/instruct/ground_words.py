"""Words that ground a kind of change, and the numbers an instruction says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from redline.instruct.language.words import key_form, key_words, number_in, singular
from redline.instruct.lexicon.synonyms import SYNONYMS, WRITTEN_OUT

REMOVING = frozenset(
    "remove delete drop erase eliminate discard strip clear rid unset without keep only prune "
    "purge cancel dedupe deduplicate take longer anymore scrap ditch kill lose gone duplicate "
    "except unsubscribe leave left quit out cross strike stop rm free isn't aren't doesn't don't "
    "wasn't more forget never".split()
)
COPYING = frozenset("copy same swap exchange duplicate match move sort order reverse".split())
CHOOSING = frozenset(
    "index not except unless whose where below above under over than least most between older "
    "younger highest lowest cheapest before after only other if without".split()
)
FIRST = frozenset("start beginning front top first prepend".split())
FLAT = re.compile(r"[^\w@.+#$€£%-]+")


def is_place(part: str) -> bool:
    """Return whether a part of a path is an array index."""
    return part.isdigit()


def numbers_in(instruction: str, tokens: Any) -> Iterator[Decimal]:
    """Yield every number an instruction says, in words or digits."""
    for token in tokens:
        text = token.text.lstrip("$€£#").rstrip("%")
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        for candidate in {text, digits}:
            digits_text = number_in(candidate)
            if digits_text is not None:
                try:
                    yield Decimal(digits_text)
                except InvalidOperation:
                    continue
    for match in re.finditer(r"-?(?:\d+(?:\.\d+)?|(?<!\d)\.\d+)", instruction):
        yield Decimal(match[0])


def is_reordered(held: Any, value: list[Any]) -> bool:
    """Return whether *value* has the elements of *held* in any order."""
    if not isinstance(held, list) or len(held) != len(value) or len(held) < 2:
        return False
    return sorted(map(repr, held)) == sorted(map(repr, value))


def names_key(instruction: str, instruction_words: set[str], key: str) -> bool:
    """Return whether a key, a synonym or its abbreviation written out is in the words."""
    words = [singular(word) for word in key_words(key)]
    if not words:
        return False
    if all(word in instruction_words for word in words):
        return True
    if all(WRITTEN_OUT.get(word, word) in instruction_words for word in words):
        return True
    form, joined = key_form(key), "".join(sorted(instruction_words))
    said = [form_ for form_, others in SYNONYMS.items() if form in others]
    content = [word for word in words if len(word) > 2]
    return any(other in instruction.replace(" ", "") for other in said) or (
        len(content) > 1 and any(word in instruction_words for word in content) and bool(joined)
    )
